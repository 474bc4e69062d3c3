"""What classes derive from that say where the other processes are: here, those who start the script say it."""


class ClusterEnvironment:
    """Says where the other processes are, to code that asks it: the script does not."""

    def validate_settings(self, num_devices: int, num_nodes: int) -> None:
        """Nothing is wrong with them."""

    def teardown(self) -> None:
        """Nothing is left to be done."""
