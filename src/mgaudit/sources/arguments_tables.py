"""What is known about compiler options: which take an argument, and which influence what the front end sees.

The lists follow the option references of Clang (ClangCommandLineReference) and GCC ("Option Summary").
"""

from __future__ import annotations

import re


def _words(text: str) -> list[str]:
    return text.split()


SEPARATE_KEPT = frozenset(
    _words(
        "-D -U -I -F -isystem -iquote -idirafter -isystem-after -cxx-isystem -stdlib++-isystem -iframework"
        " -imacros -include"
        " -iprefix -iwithprefix -iwithprefixbefore -iwithsysroot -iframeworkwithsysroot -isysroot --sysroot -x -target"
        " --target -arch --std -gcc-toolchain -working-directory"
    )
)
"""Options that take the next argument and may be kept."""

LONG_NAMES = {
    "--include": "-include",
    "--imacros": "-imacros",
    "--include-directory": "-I",
    "--include-directory-after": "-idirafter",
    "--include-prefix": "-iprefix",
    "--include-with-prefix": "-iwithprefix",
    "--include-with-prefix-after": "-iwithprefix",
    "--include-with-prefix-before": "-iwithprefixbefore",
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--language": "-x",
    "--std": "-std",
    "--target": "-target",
    "--sysroot": "--sysroot",
    "-gcc-toolchain": "--gcc-toolchain",
    "--stdlib": "-stdlib",
}
"""Long spellings, which take ``=value`` or the next argument, and the short names that they stand for."""

JOINED = tuple(
    sorted(
        _words(
            "-D -U -I -F -isystem-after -isystem -iquote -idirafter -cxx-isystem -stdlib++-isystem"
            " -iframeworkwithsysroot"
            " -iframework -imacros -include -iprefix -iwithprefixbefore -iwithprefix -iwithsysroot -isysroot"
        ),
        key=len,
        reverse=True,
    )
)
"""Options whose value may follow without a space."""

EQUALS = {
    "-std=": "-std",
    "-stdlib=": "-stdlib",
    "-working-directory=": "-working-directory",
    "--gcc-install-dir=": "--gcc-install-dir",
    "--sysroot=": "--sysroot",
    "-target=": "-target",
}
"""Options whose value follows an equals sign."""

SEPARATE_DROPPED = {
    **dict.fromkeys(_words("-o --output -dumpdir -dumpbase -dumpbase-ext -aux-info -dsym-dir -J"), "output"),
    **dict.fromkeys(
        _words("-MF -MT -MQ -MJ -dependency-file -dependency-dot -module-dependency-dir"), "dependency file"
    ),
    **dict.fromkeys(
        _words(
            "-L -l -T -Ttext -Tdata -Tbss -u -e -z -Xlinker -framework -weak_framework -reexport_framework"
            " -needed_framework"
            " -weak_library -needed_library -reexport_library -upward_framework -lazy_framework -install_name"
            " -compatibility_version -current_version -exported_symbols_list -unexported_symbols_list -order_file"
            " -bundle_loader -undefined -dylib_file -dylinker_install_name -multiply_defined -multiply_defined_unused"
            " -init -seg1addr -segaddr -segs_read_only_addr -segs_read_write_addr -seg_addr_table"
            " -seg_addr_table_filename -segprot -sectalign -sectcreate -sectorder -sub_library -sub_umbrella -umbrella"
            " -client_name -allowable_client -image_base -pagezero_size -read_only_relocs -rpath"
            " -filelist -force_load -object_path_lto -h -b -G --entry --library-directory --for-linker --script-path"
            " --undefined"
        ),
        "linker",
    ),
    **dict.fromkeys(_words("-Xassembler --for-assembler"), "assembler"),
    **dict.fromkeys(
        _words(
            "-mllvm -mmlir -Xcuda-fatbinary -Xcuda-ptxas -Xopenmp-target -Xoffload-linker"
            " -Xthinlto-distributor -mthread-model"
            " --param"
        ),
        "code generation only",
    ),
    **dict.fromkeys(
        _words(
            "-Xanalyzer --analyzer-output -Xrewriter -Xparser -serialize-diagnostics --serialize-diagnostics"
            " -index-store-path -index-unit-output-path -gen-cdb-fragment-path -ccc-arcmt-migrate -ccc-objcmt-migrate"
            " -arcmt-migrate-report-output -iapinotes-modules"
        ),
        "another tool's",
    ),
    **dict.fromkeys(
        _words("-include-pch -fmodules-user-build-path -ivfsoverlay -vfsoverlay"),
        "built by another compiler",
    ),
    **dict.fromkeys(
        _words(
            "-B -resource-dir -ccc-install-dir -ccc-gcc-name -wrapper -imultilib -darwin-target-variant"
            " -darwin-target-variant-triple --config --prefix"
        ),
        "the compiler's own set-up",
    ),
    **dict.fromkeys(_words("-add-plugin -plugin -load"), "plugin"),
}
"""Options that take the next argument and are dropped with it, and why."""

SEPARATE_CC1 = {
    **dict.fromkeys(
        _words(
            "-target-feature -target-cpu -tune-cpu -target-abi -triple -aux-triple -aux-target-cpu -aux-target-feature"
            " -main-file-name -mrelocation-model -pic-level -exception-model -function-alignment -stack-protector"
            " -dwarf-debug-flags -debug-info-kind -fdebug-compilation-dir -fcoverage-compilation-dir -ferror-limit"
            " -fmessage-length -ftemplate-depth -fconstexpr-depth -fbracket-depth -diagnostic-log-file -ast-dump-filter"
            " -ast-merge -chain-include -c-isystem -internal-isystem -internal-externc-isystem -header-include-file"
            " -code-completion-at -error-on-deserialized-decl -token-cache -split-dwarf-file -split-dwarf-output"
            " -record-command-line -mlink-bitcode-file -mlink-builtin-bitcode -fcuda-include-gpubinary"
            " -fmodule-feature -fnew-alignment -mdebug-pass -ftabstop -mregparm -meabi -mfloat-abi -mfpmath"
        ),
        "of the compiler's inner command line",
    ),
    **dict.fromkeys(
        _words("-analyzer-checker -analyzer-config -analyzer-output -analyzer-disable-checker"), "analyser"
    ),
}
"""Further options with an argument that occur behind ``-Xclang``."""

DROPPED_PREFIXES = (
    ("-M", "dependency file"),
    ("-save-temps", "output"),
    ("--save-temps", "output"),
    ("-fplugin", "plugin"),
    ("-fpass-plugin", "plugin"),
    ("-plugin", "plugin"),
    ("-analyzer", "another tool's"),
    ("-Wl,", "linker"),
    ("-Wa,", "assembler"),
    ("-l", "linker"),
    ("-L", "linker"),
    ("-fuse-ld", "linker"),
    ("-static", "linker"),
    ("-shared", "linker"),
    ("-rdynamic", "linker"),
    ("-flto", "code generation only"),
    ("-fmodule", "built by another compiler"),
    ("-fcxx-modules", "built by another compiler"),
    ("-fprebuilt-module", "built by another compiler"),
    ("-fpch", "built by another compiler"),
    ("-emit-", "output"),
    ("-g", "debug information"),
    ("-O", "code generation only"),
    ("-W", "warning"),
    ("-pedantic", "warning"),
    ("--pedantic", "warning"),
    ("-o", "output"),
    ("-d", "output"),
    ("-m", "code generation only, or of another target"),
    ("-f", "no known influence on what the front end sees"),
)
"""Why an option that nothing keeps is dropped, the first prefix that fits."""

STANDARDS = re.compile(
    r"(?:gnu|c)\+\+(?:98|03|0x|11|1y|14|1z|17|2a|20|2b|23|2c|26)"
    r"|(?:gnu|c)(?:89|90|9x|99|1x|11|17|18|2x|23|2y)|iso9899:(?:1990|199409|1999|199x|2011|2017|2018|2024)"
)
"""Values of ``-std=`` that libclang knows."""

NEWEST_CXX = "c++2c"
NEWEST_C = "c23"

LANGUAGES = {
    "c": "c",
    "c-header": "c",
    "cpp-output": "c",
    "c++": "c++",
    "c++-header": "c++",
    "c++-user-header": "c++",
    "c++-system-header": "c++",
    "c++-header-unit-header": "c++",
    "c++-cpp-output": "c++",
    "c++-module": "c++-module",
    "objective-c": "objective-c",
    "objective-c-header": "objective-c",
    "objc": "objective-c",
    "objective-c++": "objective-c++",
    "objective-c++-header": "objective-c++",
    "objc++": "objective-c++",
}
"""Values of ``-x`` that name a language of this family, and the language to parse the file in."""

OTHER_LANGUAGES = frozenset(
    _words("none assembler assembler-with-cpp cuda cuda-cpp-output hip ir ada f77 f95 go d rust")
)

FLAGS = frozenset(
    _words(
        "-ansi -trigraphs -undef -pthread -nostdinc -nostdinc++ -nostdlibinc -nobuiltininc -ObjC -ObjC++"
        " -fno-implicit-modules"
    )
)
"""Options without a value that change macros, the include path or the language."""

F_SWITCHES = frozenset(
    _words(
        "access-control aligned-allocation aligned-new asm asm-blocks assume-sane-operator-new blocks"
        " borland-extensions"
        " builtin char8_t coroutines cxx-exceptions declspec define-target-os-macros digraphs dollars-in-identifiers"
        " exceptions experimental-library fast-math finite-math-only fixed-point gnu-keywords"
        " honor-infinities honor-nans lax-vector-conversions math-errno ms-compatibility"
        " ms-extensions objc-arc objc-arc-exceptions objc-exceptions objc-weak openmp openmp-simd"
        " operator-names pack-struct"
        " pascal-strings pic PIC pie PIE raw-string-literals rtti short-enums short-wchar"
        " signed-char sized-deallocation stack-protector threadsafe-statics"
        " unsafe-math-optimizations unsigned-char"
    )
)
"""``-f<name>`` and ``-fno-<name>`` that change macros, keywords, types or lookups and that Clang knows."""

F_ONE_WAY = frozenset(
    ("freestanding", "hosted", "heinous-gnu-extensions", "stack-protector-all", "stack-protector-strong")
)
"""Of these Clang knows ``-f<name>`` alone."""

F_VALUES = re.compile(
    r"-f(?:pack-struct=\d+|constexpr-(?:depth|steps)=\d+|template-depth[=-]\d+|bracket-depth=\d+|aligned-new=\d+"
    r"|ms-compatibility-version=[\d.]+|msc-version=\d+|gnuc-version=[\d.]+|no-builtin-\w+|openmp-version=\d+"
    r"|clang-abi-compat=(?:\d+(?:\.\d)?|latest)|lax-vector-conversions=(?:none|integer|all)"
    r"|(?:input|exec)-charset=(?i:utf-?8)|openmp=lib(?:omp|gomp|iomp5)"
    r"|sanitize=(?:address|thread|memory|undefined|leak|hwaddress|,)+)"
)

KEPT = (
    F_VALUES,
    # For __OPTIMIZE__, __OPTIMIZE_SIZE__ and __FAST_MATH__.
    re.compile(r"-O(?:[0-3]|s|z|g|fast)?"),
    # Some errors of Clang are warnings that such an option turns off (-Wno-c++11-narrowing).
    re.compile(r"-Wno-[\w+=-]+"),
)
"""Options of a form that is kept."""

ARCHITECTURES = (
    (re.compile(r"x86_64h?|amd64"), "x86"),
    (re.compile(r"i[3-6]86|x86"), "x86-32"),
    (re.compile(r"aarch64(?:_be|_32)?|arm64(?:e|ec|_32)?"), "aarch64"),
    (re.compile(r"(?:arm|thumb)(?:eb|v\d\w*)?|armeb"), "arm"),
    (re.compile(r"riscv(?:32|64)"), "riscv"),
    (
        re.compile(
            r"mips\w*|(?:powerpc|ppc)\w*|s390x|sparc\w*|loongarch(?:32|64)|wasm(?:32|64)|avr|msp430|hexagon|bpf\w*"
        ),
        "other",
    ),
)
"""First components of target triples, and the family whose ``-m`` options they accept."""

_X86_FEATURES = (
    "mmx|sse|sse2|sse3|ssse3|sse4|sse4\\.1|sse4\\.2|sse4a|avx|avx2|avxvnni|avxifma|fma|fma4|f16c|bmi|bmi2"
    "|lzcnt|popcnt"
    "|aes|pclmul|sha|rdrnd|rdseed|rdpid|adx|movbe|xop|tbm|lwp|fsgsbase|fxsr|xsave|xsaveopt|xsavec|xsaves"
    "|prfchw|cx16|sahf"
    "|gfni|vaes|vpclmulqdq|crc32|rtm|clflushopt|clwb|invpcid|waitpkg|serialize|movdiri|movdir64b"
    "|avx512(?:f|cd|bw|dq|vl|ifma|vbmi|vbmi2|vnni|bitalg|vpopcntdq|bf16|fp16|vp2intersect)"
)

_X86_PROCESSORS = (
    "x86-64(?:-v[234])?|nocona|core2|penryn|bonnell|atom|silvermont|slm"
    "|goldmont(?:-plus)?|tremont|nehalem|corei7(?:-avx)?|westmere|sandybridge|ivybridge|core-avx-i|haswell|core-avx2"
    "|broadwell|skylake(?:-avx512)?|skx|cascadelake|cooperlake|cannonlake|icelake-(?:client|server)"
    "|rocketlake|tigerlake"
    "|sapphirerapids|alderlake|raptorlake|meteorlake|arrowlake(?:-s)?|lunarlake|gracemont|pantherlake|sierraforest"
    "|grandridge|graniterapids(?:-d)?|emeraldrapids|clearwaterforest|k8(?:-sse3)?|athlon64(?:-sse3)?|opteron(?:-sse3)?"
    "|amdfam10|barcelona|btver[12]|bdver[1-4]|znver[1-5]"
)

_ARM_EXTENSION = (
    "no(?:crypto|fp|simd|crc|lse|sve)|crypto|fp|simd|crc|lse|sve2?|dotprod|fp16|fp16fml|bf16|i8mm|rcpc|aes"
    "|sha2|sha3|ras"
)

_X86_32_PROCESSORS = "i[3-6]86|pentium(?:pro|2|[34]m?|-mmx)?|prescott"

_M_OPTIONS = {
    "x86": rf"-m(?:32|64|x32|(?:no-)?(?:{_X86_FEATURES})|fpmath=sse|(?:no-)?ms-bitfields|(?:no-)?red-zone"
    rf"|long-double-(?:64|80|128)|arch=(?:{_X86_PROCESSORS})|general-regs-only|soft-float|(?:no-)?80387)"
    r"|-fcf-protection(?:=(?:full|branch|return|none))?",
    "aarch64": rf"-m(?:arch=armv(?:8(?:\.[1-9])?|9(?:\.[1-5])?)-a(?:\+(?:{_ARM_EXTENSION}))*|general-regs-only"
    r"|(?:little|big)-endian|cpu=(?:cortex-a(?:35|53|55|57|65|72|73|75|76|77|78)|cortex-x1|neoverse-(?:n1|n2|v1|v2)"
    rf"|apple-(?:a(?:1[0-6])|m[1-4])|generic)(?:\+(?:{_ARM_EXTENSION}))*)",
    "arm": r"-m(?:arch=armv(?:4t|5te?|6|6k|6-?m|7|7-?a|7-?r|7-?m|7e-?m|8-?a|8-?r)|thumb|arm|(?:little|big)-endian"
    r"|float-abi=(?:soft|softfp|hard)|fpu=(?:vfp|vfpv[34]|vfpv3-d16|vfpv4-d16|neon|neon-fp16|neon-vfpv4|neon-fp-armv8"
    r"|crypto-neon-fp-armv8|fpv[45]-sp-d16|fpv5-d16|none))",
    "riscv": r"-m(?:arch=rv(?:32|64)(?:gc?v?|im?a?(?:fd?)?c?|em?a?c?)|cmodel=(?:medlow|medany))",
    "other": r"-m(?:32|64|soft-float|(?:little|big)-endian)",
}

_M_OPTIONS["x86-32"] = rf"{_M_OPTIONS['x86']}|-march=(?:{_X86_32_PROCESSORS})"

M_OPTIONS = {family: re.compile(pattern) for family, pattern in _M_OPTIONS.items()}
"""``-m`` options that set predefined macros or the size of types, by family; those of other families are dropped."""

APPLE_VERSION = re.compile(r"-m(?:macosx?|iphoneos|ios|ios-simulator|iphonesimulator|tvos|watchos)-version-min=[\d.]+")

COMPILER_TARGET = re.compile(
    r"(?P<triple>[a-z0-9_]+(?:-[A-Za-z0-9_.]+){1,3}?)-(?:clang\+\+|clang|g\+\+|gcc|c\+\+|cc|cpp)(?:-[\d.]+|-posix|-win32)*"
)
"""A compiler's name that names its target (``aarch64-linux-android29-clang++``)."""

COMPILER = re.compile(
    r"(?:.*-)?(?:clang|clang\+\+|clang-cl|cl|g\+\+|gcc|c\+\+|cc|icpc|icpx|icx|icc|em\+\+|emcc|nvc\+\+|armclang|zig|hipcc)"
    r"(?:-?[\d.]+)?(?:-posix|-win32)?"
)
"""Names that are surely a compiler's."""

WRAPPERS = frozenset(
    _words(
        "ccache sccache distcc icecc buildcache gomacc rewrapper env nice ionice time nohup cmake python python3 pump"
        " clcache schedtool sh bash xcrun launchctl"
    )
)
"""Programs that run a compiler named in their arguments."""


def family(architecture: str) -> str | None:
    """The family of a triple's first component, or None where it is unknown."""
    return next((name for pattern, name in ARCHITECTURES if pattern.fullmatch(architecture)), None)
