"""`python -m shoal` is the command line: ./shoal and the installed `shoal` script end here too."""

from shoal.cli.main import run

if __name__ == "__main__":
    run()
