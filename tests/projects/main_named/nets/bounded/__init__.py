from nets.bounded.clamping import BOUNDS, Clamped
