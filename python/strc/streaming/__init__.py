"""Models that run for ever, frame by frame: causal convolutions as windows, recurrent layers as feedback loops."""

from .files import with_files
from .frames import join_frames
from .proof import prove
from .running import formatted
from .streamed import Streamed, streamed

__all__ = ["Streamed", "formatted", "join_frames", "prove", "streamed", "with_files"]
