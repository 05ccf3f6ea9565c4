import support  # noqa: F401  puts the package on the path
