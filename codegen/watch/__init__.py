"""What `ddpgen verify` runs in processes of their own: the one part of ddpgen that imports torch and Lightning."""
