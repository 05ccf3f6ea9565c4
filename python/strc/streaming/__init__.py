"""Models that run for ever, frame by frame: causal convolutions as windows, recurrent layers as feedback loops."""

from .frames import join_frames
from .proof import OtherLength, prove
from .running import formatted
from .streamed import Streamed, streamed

__all__ = ["OtherLength", "Streamed", "formatted", "join_frames", "prove", "streamed"]
