"""The names of the front door, for editors and type checkers: Python itself never reads this."""

from posviz.arrays import devices as devices, to_device as to_device, to_dtype as to_dtype, to_numpy as to_numpy
from posviz.attention import KeyValueCache as KeyValueCache, attend as attend, softmax as softmax
from posviz.attention.masks import blockwise_causal_mask as blockwise_causal_mask, causal_mask as causal_mask, chunked_causal_mask as chunked_causal_mask
from posviz.encodings.alibi import *
from posviz.encodings.cope import *
from posviz.encodings.deberta import *
from posviz.encodings.doors import *
from posviz.encodings.fire import *
from posviz.encodings.fox import *
from posviz.encodings.frequencies import *
from posviz.encodings.inkling import *
from posviz.encodings.kerple import *
from posviz.encodings.learned import *
from posviz.encodings.path import *
from posviz.encodings.pope import *
from posviz.encodings.randomised import *
from posviz.encodings.relative import *
from posviz.encodings.rotary import *
from posviz.encodings.rotary2d import *
from posviz.encodings.shaw import *
from posviz.encodings.sinusoidal import *
from posviz.encodings.stretching import *
from posviz.encodings.t5 import *
from posviz.encodings.temperatures import *
from posviz.encodings.transformer_xl import *
from posviz.encodings.xpos import *
from posviz.teaching.prediction import predict as predict
from posviz_course.blackbox import identify as identify
from posviz_course.choosing.glossary import glossary as glossary
from posviz_course.choosing.table import comparison as comparison
from posviz_course.claims import audit as audit, ledger as ledger, recall as recall
from posviz_course.configs import read_config as read_config
from posviz_course.configs.layer_plans import layer_plan as layer_plan
from posviz_course.lessons.alibi.alibi_line import AlibiLine as AlibiLine
from posviz_course.lessons.alibi.alibi_scores import AlibiScores as AlibiScores
from posviz_course.lessons.alibi.alibi_slopes import AlibiSlopes as AlibiSlopes
from posviz_course.lessons.alibi.reading_lamp import ReadingLamp as ReadingLamp
from posviz_course.lessons.alibi.weight_by_distance import WeightByDistance as WeightByDistance
from posviz_course.lessons.choosing.census import Census as Census
from posviz_course.lessons.choosing.loss_and_recall import LossAndRecall as LossAndRecall
from posviz_course.lessons.choosing.same_x import SameX as SameX
from posviz_course.lessons.content.counted_positions import CountedPositions as CountedPositions
from posviz_course.lessons.content.distance_functions import DistanceFunctions as DistanceFunctions
from posviz_course.lessons.content.forget_gates import ForgetGates as ForgetGates
from posviz_course.lessons.content.layer_plan import LayerPlan as LayerPlan
from posviz_course.lessons.content.one_matrix import OneMatrix as OneMatrix
from posviz_course.lessons.content.temperature_by_position import TemperatureByPosition as TemperatureByPosition
from posviz_course.lessons.learned.learned_table import LearnedTable as LearnedTable
from posviz_course.lessons.learned.table_columns import TableColumns as TableColumns
from posviz_course.lessons.length.extrapolation_curves import ExtrapolationCurves as ExtrapolationCurves
from posviz_course.lessons.length.head_browser import HeadBrowser as HeadBrowser
from posviz_course.lessons.length.needle_by_distance import NeedleByDistance as NeedleByDistance
from posviz_course.lessons.length.solve_rates import SolveRates as SolveRates
from posviz_course.lessons.order.four_terms import FourTerms as FourTerms
from posviz_course.lessons.order.head_cut import HeadCut as HeadCut
from posviz_course.lessons.order.masked_attention import MaskedAttention as MaskedAttention
from posviz_course.lessons.order.score_variance import ScoreVariance as ScoreVariance
from posviz_course.lessons.order.shuffled_sentence import ShuffledSentence as ShuffledSentence
from posviz_course.lessons.order.word_orders import WordOrders as WordOrders
from posviz_course.lessons.relative.combed_scores import CombedScores as CombedScores
from posviz_course.lessons.relative.deberta_terms import DebertaTerms as DebertaTerms
from posviz_course.lessons.relative.four_relative_terms import FourRelativeTerms as FourRelativeTerms
from posviz_course.lessons.relative.offset_bias import OffsetBias as OffsetBias
from posviz_course.lessons.relative.offset_matrix import OffsetMatrix as OffsetMatrix
from posviz_course.lessons.relative.rel_shift import RelShift as RelShift
from posviz_course.lessons.relative.t5_buckets import T5Buckets as T5Buckets
from posviz_course.lessons.rotary.derivation_stepper import DerivationStepper as DerivationStepper
from posviz_course.lessons.rotary.real_head import RealHead as RealHead
from posviz_course.lessons.rotary.rotary_scores import RotaryScores as RotaryScores
from posviz_course.lessons.rotary.rotating_vectors import RotatingVectors as RotatingVectors
from posviz_course.lessons.rotary.score_decay import ScoreDecay as ScoreDecay
from posviz_course.lessons.rotary2d.mrope_sections import MropeSections as MropeSections
from posviz_course.lessons.rotary2d.patch_grid import PatchGrid as PatchGrid
from posviz_course.lessons.rotary2d.sum_of_waves import SumOfWaves as SumOfWaves
from posviz_course.lessons.rotary2d.two_hands import TwoHands as TwoHands
from posviz_course.lessons.rotary_code.cache_debugger import CacheDebugger as CacheDebugger
from posviz_course.lessons.rotary_code.layout_arcs import LayoutArcs as LayoutArcs
from posviz_course.lessons.rotary_code.layout_converter import LayoutConverter as LayoutConverter
from posviz_course.lessons.rotary_code.mystery_box import MysteryBox as MysteryBox
from posviz_course.lessons.rotary_code.precision_lab import PrecisionLab as PrecisionLab
from posviz_course.lessons.sinusoidal.collision_hunter import CollisionHunter as CollisionHunter
from posviz_course.lessons.sinusoidal.counter_to_clock import CounterToClock as CounterToClock
from posviz_course.lessons.sinusoidal.hand_and_wave import HandAndWave as HandAndWave
from posviz_course.lessons.sinusoidal.shift_is_rotation import ShiftIsRotation as ShiftIsRotation
from posviz_course.lessons.sinusoidal.similarity_by_offset import SimilarityByOffset as SimilarityByOffset
from posviz_course.lessons.sinusoidal.sinusoidal_table import SinusoidalTable as SinusoidalTable
from posviz_course.lessons.sinusoidal.wavelength_clocks import WavelengthClocks as WavelengthClocks
from posviz_course.lessons.sinusoidal.why_not_integers import WhyNotIntegers as WhyNotIntegers
from posviz_course.lessons.start.encoding_map import EncodingMap as EncodingMap
from posviz_course.lessons.start.same_words import SameWords as SameWords
from posviz_course.lessons.start.three_doors import ThreeDoors as ThreeDoors
from posviz_course.lessons.stretching.cache_trap import CacheTrap as CacheTrap
from posviz_course.lessons.stretching.config_reader import ConfigReader as ConfigReader
from posviz_course.lessons.stretching.dispersal import Dispersal as Dispersal
from posviz_course.lessons.stretching.kept_frequencies import KeptFrequencies as KeptFrequencies
from posviz_course.lessons.stretching.loss_past_training import LossPastTraining as LossPastTraining
from posviz_course.lessons.stretching.phases_seen import PhasesSeen as PhasesSeen
from posviz_course.lessons.xpos.blockwise_mask import BlockwiseMask as BlockwiseMask
from posviz_course.lessons.xpos.far_weights import FarWeights as FarWeights
from posviz_course.lessons.xpos.forgetting import Forgetting as Forgetting
from posviz_course.lessons.xpos.xpos_decay import XposDecay as XposDecay
from posviz_course.models.hugging_face import load_model as load_model
from posviz_course.models.position_maps import MappedRotary as MappedRotary, dual_chunk_positions as dual_chunk_positions, rerope_positions as rerope_positions, self_extend_positions as self_extend_positions, sink_positions as sink_positions

__version__: str

def register(names: dict[str, str]) -> None: ...
