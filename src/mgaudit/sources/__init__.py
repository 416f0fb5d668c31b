"""Where facts come from: compile commands, toolchain, the C++ front end, the syntax scanner, catalogues, binaries."""
