"""Imports every module of a generated client, and prints how many there are: Python compiles at import."""

import importlib
import pkgutil
import sys

sys.path.insert(0, sys.argv[1])
client = importlib.import_module(sys.argv[2])
names = [module.name for module in pkgutil.walk_packages(client.__path__, f"{client.__name__}.")]
for name in names:
    importlib.import_module(name)
print(len(names))
