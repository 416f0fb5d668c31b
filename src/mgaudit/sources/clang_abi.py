"""The part of libclang's C interface that `clang.cindex` does not wrap: the C-side indexer.

Structures and functions follow ``clang-c/Index.h`` (LLVM 22). Callbacks receive raw addresses and read only the fields
they need, because one ctypes object per field would double the cost of a reference.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_longlong, c_uint, c_void_p, py_object
from typing import Any, ClassVar, Final

# CXTranslationUnit_Flags
DETAILED_PREPROCESSING_RECORD: Final = 0x1
KEEP_GOING: Final = 0x200
SKIP_FUNCTION_BODIES: Final = 0x40

# CXIndexOptFlags
INDEX_IMPLICIT_TEMPLATE_INSTANTIATIONS: Final = 0x4
INDEX_SUPPRESS_WARNINGS: Final = 0x8

# CXSymbolRole
ROLE_DECLARATION: Final = 1
ROLE_DEFINITION: Final = 2
ROLE_REFERENCE: Final = 4
ROLE_READ: Final = 8
ROLE_WRITE: Final = 16
ROLE_CALL: Final = 32
ROLE_DYNAMIC: Final = 64
ROLE_ADDRESS_OF: Final = 128
ROLE_IMPLICIT: Final = 256

# CXIdxEntityKind, by position
ENTITY_KINDS: Final = (
    "unexposed", "typedef", "function", "variable", "field", "enumerator", "objc-class", "objc-protocol",
    "objc-category", "objc-instance-method", "objc-class-method", "objc-property", "objc-ivar", "enum", "struct",
    "union", "class", "namespace", "namespace-alias", "static-variable", "static-method", "method", "constructor",
    "destructor", "conversion", "type-alias", "interface", "concept",
)  # fmt: skip

# The top bit of a raw source location says that it lies in a macro expansion (clang::SourceLocation::MacroIDBit).
MACRO_LOCATION_BIT: Final = 1 << 31


class CXString(Structure):
    """An owned string."""

    _fields_: ClassVar = [("data", c_void_p), ("flags", c_uint)]


class CXCursor(Structure):
    """A cursor by value; ``data0`` is the declaration's address, stable within one translation unit."""

    _fields_: ClassVar = [
        ("kind", c_int), ("xdata", c_int), ("data0", c_void_p), ("data1", c_void_p), ("data2", c_void_p),
    ]  # fmt: skip


class CXSourceLocation(Structure):
    """A location by value; ``raw`` is clang's encoded source location."""

    _fields_: ClassVar = [("data0", c_void_p), ("data1", c_void_p), ("raw", c_uint)]


class CXSourceRange(Structure):
    """A range by value."""

    _fields_: ClassVar = [("data0", c_void_p), ("data1", c_void_p), ("begin", c_uint), ("end", c_uint)]


class CXStringSet(Structure):
    """A counted array of owned strings."""

    _fields_: ClassVar = [("strings", POINTER(CXString)), ("count", c_uint)]


class CXSourceRangeList(Structure):
    """A counted array of ranges."""

    _fields_: ClassVar = [("count", c_uint), ("ranges", POINTER(CXSourceRange))]


class CXType(Structure):
    """A type by value."""

    _fields_: ClassVar = [("kind", c_int), ("data0", c_void_p), ("data1", c_void_p)]


class CXIdxLoc(Structure):
    """An indexer location; always one of a file, never of a macro's body."""

    _fields_: ClassVar = [("data0", c_void_p), ("data1", c_void_p), ("raw", c_uint)]


class CXIdxIncludedFileInfo(Structure):
    """One inclusion directive, entered or not."""

    _fields_: ClassVar = [
        ("hash_loc", CXIdxLoc), ("filename", c_void_p), ("file", c_void_p), ("is_import", c_int),
        ("is_angled", c_int), ("is_module_import", c_int),
    ]  # fmt: skip


class CXIdxEntityInfo(Structure):
    """An entity as the indexer names it."""

    _fields_: ClassVar = [
        ("kind", c_int), ("template_kind", c_int), ("lang", c_int), ("name", c_void_p), ("usr", c_void_p),
        ("cursor", CXCursor), ("attributes", c_void_p), ("attribute_count", c_uint),
    ]  # fmt: skip


class CXIdxDeclInfo(Structure):
    """One declaration."""

    _fields_: ClassVar = [
        ("entity", c_void_p), ("cursor", CXCursor), ("loc", CXIdxLoc), ("semantic_container", c_void_p),
        ("lexical_container", c_void_p), ("is_redeclaration", c_int), ("is_definition", c_int),
        ("is_container", c_int), ("decl_as_container", c_void_p), ("is_implicit", c_int), ("attributes", c_void_p),
        ("attribute_count", c_uint), ("flags", c_uint),
    ]  # fmt: skip


class CXIdxBaseClassInfo(Structure):
    """One base specifier."""

    _fields_: ClassVar = [("base", c_void_p), ("cursor", CXCursor), ("loc", CXIdxLoc)]


class CXIdxCXXClassDeclInfo(Structure):
    """What the indexer adds for a class definition."""

    _fields_: ClassVar = [("decl", c_void_p), ("bases", POINTER(POINTER(CXIdxBaseClassInfo))), ("base_count", c_uint)]


class CXIdxEntityRefInfo(Structure):
    """One reference."""

    _fields_: ClassVar = [
        ("kind", c_int), ("cursor", CXCursor), ("loc", CXIdxLoc), ("referenced", c_void_p), ("parent", c_void_p),
        ("container", c_void_p), ("role", c_int),
    ]  # fmt: skip


AbortQuery = CFUNCTYPE(c_int, c_void_p, c_void_p)
DiagnosticCallback = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
EnteredMainFile = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p)
IncludedFile = CFUNCTYPE(c_void_p, c_void_p, c_void_p)
ImportedASTFile = CFUNCTYPE(c_void_p, c_void_p, c_void_p)
StartedTranslationUnit = CFUNCTYPE(c_void_p, c_void_p, c_void_p)
IndexDeclaration = CFUNCTYPE(None, c_void_p, c_void_p)
IndexEntityReference = CFUNCTYPE(None, c_void_p, c_void_p)
CursorVisitor = CFUNCTYPE(c_int, CXCursor, CXCursor, py_object)
FieldVisitor = CFUNCTYPE(c_int, CXCursor, py_object)


class IndexerCallbacks(Structure):
    """The table of callbacks; unset members are null and skipped."""

    _fields_: ClassVar = [
        ("abort_query", AbortQuery), ("diagnostic", DiagnosticCallback), ("entered_main_file", EnteredMainFile),
        ("included_file", IncludedFile), ("imported_ast_file", ImportedASTFile),
        ("started_translation_unit", StartedTranslationUnit), ("index_declaration", IndexDeclaration),
        ("index_entity_reference", IndexEntityReference),
    ]  # fmt: skip


PROTOTYPES: Final[dict[str, tuple[list[Any], Any]]] = {
    "clang_createIndex": ([c_int, c_int], c_void_p),
    "clang_disposeIndex": ([c_void_p], None),
    "clang_parseTranslationUnit2": (
        [c_void_p, c_char_p, POINTER(c_char_p), c_int, c_void_p, c_uint, c_uint, POINTER(c_void_p)], c_int,
    ),
    "clang_disposeTranslationUnit": ([c_void_p], None),
    "clang_saveTranslationUnit": ([c_void_p, c_char_p, c_uint], c_int),
    "clang_getNumDiagnostics": ([c_void_p], c_uint),
    "clang_getDiagnostic": ([c_void_p, c_uint], c_void_p),
    "clang_disposeDiagnostic": ([c_void_p], None),
    "clang_getDiagnosticSeverity": ([c_void_p], c_int),
    "clang_getDiagnosticSpelling": ([c_void_p], CXString),
    "clang_getDiagnosticLocation": ([c_void_p], CXSourceLocation),
    "clang_getFileLocation": (
        [CXSourceLocation, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)], None,
    ),
    "clang_getExpansionLocation": (
        [CXSourceLocation, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)], None,
    ),
    "clang_getSpellingLocation": (
        [CXSourceLocation, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)], None,
    ),
    "clang_getRangeStart": ([CXSourceRange], CXSourceLocation),
    "clang_getRangeEnd": ([CXSourceRange], CXSourceLocation),
    "clang_getFileName": ([c_void_p], CXString),
    "clang_getFile": ([c_void_p, c_char_p], c_void_p),
    "clang_getLocationForOffset": ([c_void_p, c_void_p, c_uint], CXSourceLocation),
    "clang_getCString": ([CXString], c_char_p),
    "clang_disposeString": ([CXString], None),
    "clang_getClangVersion": ([], CXString),
    "clang_getAllSkippedRanges": ([c_void_p], POINTER(CXSourceRangeList)),
    "clang_disposeSourceRangeList": ([POINTER(CXSourceRangeList)], None),
    "clang_getTranslationUnitCursor": ([c_void_p], CXCursor),
    "clang_getCursor": ([c_void_p, CXSourceLocation], CXCursor),
    "clang_getCursorReferenced": ([CXCursor], CXCursor),
    "clang_getCursorDefinition": ([CXCursor], CXCursor),
    "clang_isCursorDefinition": ([CXCursor], c_uint),
    "clang_getCanonicalCursor": ([CXCursor], CXCursor),
    "clang_getCursorUSR": ([CXCursor], CXString),
    "clang_getCursorSpelling": ([CXCursor], CXString),
    "clang_getCursorDisplayName": ([CXCursor], CXString),
    "clang_getCursorSemanticParent": ([CXCursor], CXCursor),
    "clang_getCursorLinkage": ([CXCursor], c_int),
    "clang_equalLocations": ([CXSourceLocation, CXSourceLocation], c_uint),
    "clang_getCursorLocation": ([CXCursor], CXSourceLocation),
    "clang_getCursorExtent": ([CXCursor], CXSourceRange),
    "clang_getCursorType": ([CXCursor], CXType),
    "clang_getCanonicalType": ([CXType], CXType),
    "clang_getTypeSpelling": ([CXType], CXString),
    "clang_getTypeDeclaration": ([CXType], CXCursor),
    "clang_getPointeeType": ([CXType], CXType),
    "clang_getArrayElementType": ([CXType], CXType),
    "clang_getArraySize": ([CXType], c_longlong),
    "clang_getNumOverloadedDecls": ([CXCursor], c_uint),
    "clang_getOverloadedDecl": ([CXCursor, c_uint], CXCursor),
    "clang_getResultType": ([CXType], CXType),
    "clang_getNumArgTypes": ([CXType], c_int),
    "clang_getArgType": ([CXType, c_uint], CXType),
    "clang_Type_getNumTemplateArguments": ([CXType], c_int),
    "clang_Type_getTemplateArgumentAsType": ([CXType, c_uint], CXType),
    "clang_isConstQualifiedType": ([CXType], c_uint),
    "clang_getUnqualifiedType": ([CXType], CXType),
    "clang_getTypedefDeclUnderlyingType": ([CXCursor], CXType),
    "clang_Type_getNamedType": ([CXType], CXType),
    "clang_Type_getSizeOf": ([CXType], c_longlong),
    "clang_getCursorTLSKind": ([CXCursor], c_int),
    "clang_getEnumConstantDeclValue": ([CXCursor], c_longlong),
    "clang_Location_isInSystemHeader": ([CXSourceLocation], c_int),
    "clang_Cursor_getNumTemplateArguments": ([CXCursor], c_int),
    "clang_Cursor_getTemplateArgumentKind": ([CXCursor, c_uint], c_int),
    "clang_Cursor_getTemplateArgumentType": ([CXCursor, c_uint], CXType),
    "clang_Cursor_getNumArguments": ([CXCursor], c_int),
    "clang_Cursor_getArgument": ([CXCursor, c_uint], CXCursor),
    "clang_Cursor_Evaluate": ([CXCursor], c_void_p),
    "clang_EvalResult_getKind": ([c_void_p], c_int),
    "clang_EvalResult_getAsLongLong": ([c_void_p], c_longlong),
    "clang_EvalResult_dispose": ([c_void_p], None),
    "clang_getSpecializedCursorTemplate": ([CXCursor], CXCursor),
    "clang_getOverriddenCursors": ([CXCursor, POINTER(POINTER(CXCursor)), POINTER(c_uint)], None),
    "clang_disposeOverriddenCursors": ([POINTER(CXCursor)], None),
    "clang_Cursor_isAnonymous": ([CXCursor], c_uint),
    "clang_Cursor_isInlineNamespace": ([CXCursor], c_uint),
    "clang_CXXMethod_isVirtual": ([CXCursor], c_uint),
    "clang_CXXMethod_isPureVirtual": ([CXCursor], c_uint),
    "clang_CXXMethod_isConst": ([CXCursor], c_uint),
    "clang_visitChildren": ([CXCursor, CursorVisitor, py_object], c_uint),
    "clang_Type_visitFields": ([CXType, FieldVisitor, py_object], c_uint),
    "clang_visitCXXMethods": ([CXType, FieldVisitor, py_object], c_uint),
    "clang_visitCXXBaseClasses": ([CXType, FieldVisitor, py_object], c_uint),
    "clang_getCursorResultType": ([CXCursor], CXType),
    "clang_Cursor_isDynamicCall": ([CXCursor], c_int),
    "clang_CXXConstructor_isDefaultConstructor": ([CXCursor], c_uint),
    "clang_CXXConstructor_isCopyConstructor": ([CXCursor], c_uint),
    "clang_CXXConstructor_isMoveConstructor": ([CXCursor], c_uint),
    "clang_CXXMethod_isDefaulted": ([CXCursor], c_uint),
    "clang_CXXMethod_isStatic": ([CXCursor], c_uint),
    "clang_Cursor_getStorageClass": ([CXCursor], c_int),
    "clang_Cursor_getVarDeclInitializer": ([CXCursor], CXCursor),
    "clang_getCursorBinaryOperatorKind": ([CXCursor], c_int),
    "clang_getCursorUnaryOperatorKind": ([CXCursor], c_int),
    "clang_Cursor_isFunctionInlined": ([CXCursor], c_uint),
    "clang_Cursor_getMangling": ([CXCursor], CXString),
    "clang_Cursor_getCXXManglings": ([CXCursor], POINTER(CXStringSet)),
    "clang_disposeStringSet": ([POINTER(CXStringSet)], None),
    "clang_getCursorLexicalParent": ([CXCursor], CXCursor),
    "clang_isVirtualBase": ([CXCursor], c_uint),
    "clang_Type_getAlignOf": ([CXType], c_longlong),
    "clang_Type_getValueType": ([CXType], CXType),
    "clang_Cursor_getOffsetOfField": ([CXCursor], c_longlong),
    "clang_getOffsetOfBase": ([CXCursor, CXCursor], c_longlong),
    "clang_getFieldDeclBitWidth": ([CXCursor], c_int),
    "clang_Cursor_isAnonymousRecordDecl": ([CXCursor], c_uint),
    "clang_getCursorPrintingPolicy": ([CXCursor], c_void_p),
    "clang_getCursorPrettyPrinted": ([CXCursor, c_void_p], CXString),
    "clang_PrintingPolicy_dispose": ([c_void_p], None),
    "clang_IndexAction_create": ([c_void_p], c_void_p),
    "clang_IndexAction_dispose": ([c_void_p], None),
    "clang_indexTranslationUnit": (
        [c_void_p, c_void_p, POINTER(IndexerCallbacks), c_uint, c_uint, c_void_p], c_int,
    ),
    "clang_indexLoc_getFileLocation": (
        [CXIdxLoc, c_void_p, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)], None,
    ),
    "clang_index_getCXXClassDeclInfo": ([c_void_p], POINTER(CXIdxCXXClassDeclInfo)),
}  # fmt: skip


class CXUnsavedFile(Structure):
    """An in-memory file."""

    _fields_: ClassVar = [("name", c_char_p), ("contents", c_char_p), ("length", ctypes.c_ulong)]
