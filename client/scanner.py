"""The scanner: what a mod's script may not contain if it is to be published (SECURITY.md, section 2).

It is the first of two walls. The second, the frame a script runs in, has no network and no page whatever the scanner
overlooked; the scanner is there so that an author learns at publish time, by line and column, what won't run, and so
that a script which tries is never offered to players. It reads the script's own names: a variable, a method or a word
in a text that happens to be called ``fetch`` is nobody's business. Comments that ask to be excused are comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from client.constant_text import constant_text, may_be_text
from client.finding import REFUSED, Finding, FindingCode, Rule
from client.hidden_text import hidden_characters, twin_of, wide_gaps
from client.javascript import FUNCTIONS, Node, Program, Variable, parse
from client.plugin_call import API, CALL, dynamic_plugin_calls
from client.script_source import ScriptSource, ScriptUnreadable, read_source

MOST_FINDINGS = 100
"""Of one script; who has a hundred has seen enough."""

_CODE = "would make code out of text"
_NETWORK = "would reach the network"
_PAGE = "belongs to the page, which a script has no part in"
_WORKER = "would start or load another script"
_MESSAGES = "would send or take messages past the script API"
_STORAGE = "would keep data in the player's browser"
_TIMER = "runs for ever; use setTimeout, or the script API's events"
_STACK = "shows functions of the page"
_LOOKUP = "reads what a name hides"
_REDEFINE = "changes what a name means"
_RULES: dict[str, Rule] = {
    _CODE: "code-from-text",
    _NETWORK: "network",
    _PAGE: "page",
    _WORKER: "worker",
    _MESSAGES: "messages",
    _STORAGE: "storage",
    _TIMER: "timer",
    _STACK: "odd-member",
    _LOOKUP: "odd-member",
    _REDEFINE: "odd-member",
}


def _each(names: str, why: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), why)


# Names that mean the same wherever they stand undeclared.
_REFUSED_NAMES = {
    **_each("eval Function WebAssembly", _CODE),
    **_each(
        "fetch fetchLater XMLHttpRequest WebSocket WebSocketStream EventSource WebTransport RTCPeerConnection"
        " webkitRTCPeerConnection mozRTCPeerConnection RTCDataChannel navigator FontFace PushManager",
        _NETWORK,
    ),
    **_each("window document location DOMParser HTMLElement customElements", _PAGE),
    **_each("localStorage sessionStorage indexedDB caches cookieStore", _STORAGE),
    **_each(
        "Worker SharedWorker ServiceWorker Worklet importScripts WorkerGlobalScope DedicatedWorkerGlobalScope"
        " Blob FileReader FileReaderSync",
        _WORKER,
    ),
    **_each(
        "postMessage onmessage onmessageerror BroadcastChannel MessageChannel MessagePort addEventListener"
        " removeEventListener dispatchEvent Notification",
        _MESSAGES,
    ),
    "setInterval": _TIMER,
}
# Ordinary words, which an old script may use as a variable without declaring it.
_ORDINARY_NAMES = _each(
    "top parent frames opener history screen open close alert confirm prompt print external Image Audio Element"
    " Node Option File MutationObserver XMLSerializer",
    _PAGE,
)
_NAMES = _REFUSED_NAMES | _ORDINARY_NAMES
_GLOBAL_OBJECTS = frozenset({"globalThis", "self", "window", "frames", "top", "parent"})
# No object a script can make has these.
_REFUSED_MEMBERS = {
    "createObjectURL": _WORKER,
    "sendBeacon": _NETWORK,
    "prepareStackTrace": _STACK,
    "__lookupGetter__": _LOOKUP,
    "__defineGetter__": _REDEFINE,
    "__defineSetter__": _REDEFINE,
}
_NEVER_BY_JOINING = frozenset(_REFUSED_NAMES) | _GLOBAL_OBJECTS | _REFUSED_MEMBERS.keys() | {"constructor"}
_RUNS_A_FUNCTION = frozenset({"constructor", "call", "apply", "bind", "value"})
_COMPARISONS = frozenset({"==", "===", "!=", "!==", "instanceof", "in"})
_READS_BY_NAME = frozenset({"get", "getOwnPropertyDescriptor", "has", "set", "defineProperty", "deleteProperty"})

_LONG_LINE, _MANY_STEPS = 500, 20
_SHORT_SCRIPT = 1000
_NUMBERED = re.compile(r"_0x[0-9a-f]{3,}")
_MANY_NUMBERED = 5
_ESCAPED_TEXT = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}){12,}")
_PACKED_TEXT = re.compile(r"[A-Za-z0-9+/=_-]{1000,}")


def scan_script(data: bytes) -> tuple[Finding, ...]:
    """What is to be said about a script, given the file's bytes; by line and column, at most ``MOST_FINDINGS``.

    A script that no browser would run, or that is longer or nested deeper than can be judged, has one finding that says
    so.
    """
    try:
        source = read_source(data)
        hidden = list(hidden_characters(source))
        program = parse(source)
    except ScriptUnreadable as error:
        return (Finding(*error.place, "unsafe-script", f"The script {error.message}.", "unreadable"),)
    found: dict[tuple[int, int, FindingCode], Finding] = {}
    try:
        for finding in (*hidden, *_Scan(program).findings(), *dynamic_plugin_calls(program), *_writing(program)):
            found.setdefault((finding.line, finding.column, finding.code), finding)
    finally:
        program.free()
    return tuple(sorted(found.values())[:MOST_FINDINGS])


def refusal(findings: tuple[Finding, ...]) -> FindingCode | None:
    """The code a publish with these findings is refused for, None when they are warnings at most."""
    codes = {finding.code for finding in findings}
    return next((code for code in REFUSED if code in codes), None)


class _Scan:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._found: list[Finding] = []
        self._aliases: set[int] = set()
        # Undeclared names that the script itself assigns to.
        self._own_globals = {use.name for use in program.globals if program.is_written(use)}
        self._new_classes = self._constructors()

    def findings(self) -> list[Finding]:
        program = self._program
        for node in program.nodes:
            match node.type:
                case "MemberExpression":
                    self._member(node)
                case "CallExpression":
                    self._call(node)
                case "ThisExpression":
                    if self._is_global_this(node):
                        self._global_object(node, "this, which is everything there is,")
                case "ImportExpression" | "Import":
                    self._refuse_name(node, "import()", _WORKER)
                case "WithStatement":
                    self._refuse(node, "with makes it impossible to tell what a name means", "with")
                case "Property":
                    self._pattern_entry(node)
        for use in program.globals:
            self._global(use)
        self._comments()
        self._twins()
        return self._found

    def _refuse(self, node: Node, message: str, rule: Rule) -> None:
        line, column = self._program.place(node)
        code: FindingCode = "dynamic-plugin-call" if rule == "plugin-call" else "unsafe-script"
        self._found.append(Finding(line, column, code, message, rule))

    def _refuse_name(self, node: Node, name: str, why: str) -> None:
        self._refuse(node, f"{name} {why}", _RULES[why])

    # Names

    def _global(self, use: Node) -> None:
        name = use.name
        if self._is_question(use):
            return
        if name in {"globalThis", "self"}:
            self._global_object(use, name)
        elif name == "setTimeout":
            self._set_timeout(use)
        elif name in _REFUSED_NAMES:
            self._refuse_name(use, name, _REFUSED_NAMES[name])
        elif name in _ORDINARY_NAMES and name not in self._own_globals:
            self._refuse_name(use, name, _ORDINARY_NAMES[name])

    def _global_object(self, node: Node, name: str) -> None:
        """A use of the object that holds all globals: only its harmless members may be asked for, by their names."""
        program = self._program
        parent, role = program.parent(node), program.role(node)
        if parent.type == "MemberExpression" and role == "object":
            self._global_member(parent)
        elif self._is_question(node) or parent.type == "ExpressionStatement" or self._is_bound_elsewhere(node):
            pass
        elif parent.type == "VariableDeclarator" and parent.id.type == "Identifier" and node.type == "ThisExpression":
            self._alias(program.declared(parent.id))
        else:
            self._refuse(node, f"{name} is handed on here; name what is wanted of it", "global-object")

    def _alias(self, variable: Variable | None) -> None:
        if variable is None or id(variable) in self._aliases:
            return
        self._aliases.add(id(variable))
        for use in variable.uses:
            if not self._program.is_written(use):
                self._global_object(use, f"{variable.name}, which is everything there is,")

    def _global_member(self, member: Node) -> None:
        name = _written_name(member)
        if name is None:
            known = constant_text(self._program, member.property)
            what = "by a computed name" if known is None else f"by a name that is put together ({known.text[:40]})"
            self._refuse(member.property, f"a global is asked for {what}", "global-object")
        elif name == API:
            message = "api is to be used by its own name, not as a member of something else"
            self._refuse(member.property, message, "plugin-call")
        elif name == "setTimeout":
            self._set_timeout(member)
        elif (name in _NAMES or name in _GLOBAL_OBJECTS) and not self._is_question(member):
            self._refuse_name(member.property, name, _NAMES.get(name, _PAGE))

    def _set_timeout(self, node: Node) -> None:
        call = self._program.parent(node)
        if call.type != "CallExpression" or self._program.role(node) != "callee":
            self._refuse(node, "setTimeout has to be called where it stands, with a function", "code-from-text")
            return
        first = call.arguments[0] if call.arguments else None
        if first is not None and (first.type == "SpreadElement" or may_be_text(self._program, first)):
            self._refuse(node, "setTimeout takes a function here; a text would be made into code", "code-from-text")

    # Members

    def _member(self, member: Node) -> None:
        name = _written_name(member)
        if name is None:
            known = constant_text(self._program, member.property)
            if known is None:
                return
            if not known.joined:
                name = known.text
            elif known.text == CALL:
                self._refuse(member.property, f"{CALL} is put together out of parts here", "plugin-call")
                return
            elif known.text in _NEVER_BY_JOINING:
                self._refuse(member.property, f"{known.text} is put together out of parts here", "joined-name")
                return
        if name == "constructor":
            self._constructor(member)
        elif name in _REFUSED_MEMBERS:
            self._refuse_name(member.property, name, _REFUSED_MEMBERS[name])

    def _constructor(self, member: Node) -> None:
        """``x.constructor`` of a function makes code out of text; of one's own objects it is their class."""
        program = self._program
        parent, role = program.parent(member), program.role(member)
        if self._is_question(member) or (parent.type == "AssignmentExpression" and role == "left"):
            return
        if parent.type == "MemberExpression" and role == "object":
            name = _written_name(parent)
            if name is not None and name not in _RUNS_A_FUNCTION:
                return
        elif member.object.type in {"ThisExpression", "Super"} and not self._is_global_this(member.object):
            is_made = parent.type == "NewExpression" and role == "callee"
            is_called = parent.type == "CallExpression" and role == "callee"
            if (self._is_of_class(member) and not is_called) or (is_made and self._is_of_class(member) is None):
                return
        self._refuse(member.property, f"constructor {_CODE}, when it is a function's", "code-from-text")

    def _pattern_entry(self, entry: Node) -> None:
        holder = self._program.parent(entry)
        if holder is None or holder.type != "ObjectPattern":
            return
        if entry.computed:
            known = constant_text(self._program, entry.key)
            name = known.text if known is not None else None
        else:
            name = getattr(entry.key, "name", None) or getattr(entry.key, "value", None)
        if name == "constructor":
            self._refuse(entry, f"constructor {_CODE}, when it is a function's", "code-from-text")
        elif name in _REFUSED_MEMBERS:
            self._refuse_name(entry, name, _REFUSED_MEMBERS[name])

    def _call(self, call: Node) -> None:
        """``Reflect.get(x, "name")`` and its like are members in other words."""
        callee = call.callee
        if callee.type != "MemberExpression" or not self._program.is_global(callee.object, "Reflect", "Object"):
            return
        if _written_name(callee) not in _READS_BY_NAME or len(call.arguments) < 2:
            return
        known = constant_text(self._program, call.arguments[1])
        if known is not None and (known.text in {"constructor", CALL} or known.text in _REFUSED_MEMBERS):
            rule: Rule = "plugin-call" if known.text == CALL else "joined-name"
            self._refuse(call, f"{known.text} is asked for in a roundabout way", rule)

    # this

    def _constructors(self) -> set[int]:
        """Functions that are used to make objects, by ``new`` or through their prototype."""
        found = set()
        for node in self._program.nodes:
            made = None
            if node.type == "NewExpression":
                made = node.callee
            elif node.type == "MemberExpression" and _written_name(node) == "prototype":
                made = node.object
            if made is not None and made.type == "Identifier":
                value = self._program.value(made)
                if value is not None:
                    found.add(id(value))
        return found

    def _is_global_this(self, this: Node) -> bool:
        """Whether ``this`` is surely the object of all globals: outside of functions, or in one called by its name."""
        for above in self._program.ancestors(this):
            if above.type in {"PropertyDefinition", "StaticBlock"}:
                return False
            if above.type in FUNCTIONS and above.type != "ArrowFunctionExpression":
                return self._is_called_plainly(above)
        return True

    def _is_of_class(self, node: Node) -> bool | None:
        """True where ``this`` is an object of a class, False where it is the class itself, None outside of classes."""
        for above in self._program.ancestors(node):
            if above.type == "StaticBlock":
                return False
            if above.type in {"PropertyDefinition", "MethodDefinition"}:
                return not above.static
            if above.type in FUNCTIONS and above.type != "ArrowFunctionExpression":
                holder = self._program.parent(above)
                return not holder.static if holder.type == "MethodDefinition" else None
        return None

    def _is_called_plainly(self, function: Node) -> bool:
        program = self._program
        parent, role = program.parent(function), program.role(function)
        if id(function) in self._new_classes:
            return False
        if parent.type == "CallExpression" and role == "callee":
            return True
        if parent.type == "MemberExpression" and role == "object" and _written_name(parent) in {"call", "apply"}:
            call = program.parent(parent)
            given = call.arguments[0] if call.type == "CallExpression" and call.arguments else None
            return given is None or (given.type == "ThisExpression" and self._is_global_this(given))
        if parent.type == "SequenceExpression":
            return True
        name = function.id if function.type == "FunctionDeclaration" else None
        if parent.type == "VariableDeclarator" and role == "init" and parent.id.type == "Identifier":
            name = parent.id
        variable = program.declared(name) if name is not None else None
        return variable is not None and any(self._is_plain_call(use) for use in variable.uses)

    def _is_plain_call(self, use: Node) -> bool:
        """``f()``, and ``f.call()`` and the like with nothing to be ``this``."""
        program = self._program
        parent, role = program.parent(use), program.role(use)
        if (
            parent.type == "MemberExpression"
            and role == "object"
            and _written_name(parent) in {"call", "apply", "bind"}
        ):
            call = program.parent(parent)
            return call.type == "CallExpression" and program.role(parent) == "callee" and not call.arguments
        return (parent.type == "CallExpression" and role == "callee") or parent.type == "TaggedTemplateExpression"

    def _is_bound_elsewhere(self, node: Node) -> bool:
        """``(function () { … }).call(this)``, ``(function (root) { … })(typeof self === "object" ? self : this)``: the
        function inside is looked at with what it is given."""
        program = self._program
        given, call = node, program.parent(node)
        while self._is_choice(call, given):
            given, call = call, program.parent(call)
        if call.type != "CallExpression" or program.role(given) != "arguments":
            return False
        callee = call.callee
        if callee.type == "MemberExpression":
            method = callee.object.type == "FunctionExpression" and _written_name(callee) in {"call", "apply"}
            return method and node.type == "ThisExpression" and call.arguments[0] is node
        if callee.type not in FUNCTIONS or any(program.is_own_arguments(use, callee) for use in program.arguments):
            return False
        index = next(number for number, one in enumerate(call.arguments) if one is given)
        parameter = callee.params[index] if index < len(callee.params) else None
        spread = any(one.type == "SpreadElement" for one in call.arguments[:index])
        if parameter is None or parameter.type != "Identifier" or spread:
            return False
        self._alias(program.declared(parameter))
        return True

    def _is_choice(self, parent: Node, one: Node) -> bool:
        """Whether a value may become that of the expression around it."""
        match parent.type:
            case "ConditionalExpression":
                return parent.test is not one
            case "LogicalExpression":
                return True
        return False

    # Where only the presence of something matters

    def _is_question(self, node: Node) -> bool:
        parent, role = self._program.parent(node), self._program.role(node)
        match parent.type:
            case "UnaryExpression":
                return parent.operator in {"typeof", "!", "void"}
            case "BinaryExpression":
                return parent.operator in _COMPARISONS
            case "LogicalExpression":
                return role == "left" and parent.operator == "&&"
        return False

    # What is not in the tree

    def _comments(self) -> None:
        text = self._program.source.text
        for token in self._program.tokens:
            if token.kind == "Comment" and text.startswith(("<!--", "-->"), token.start):
                line, column = self._program.source.place(token.start)
                message = "a comment of HTML, which hides code from some readers; use //"
                self._found.append(Finding(line, column, "unsafe-script", message, "html-comment"))

    def _twins(self) -> None:
        program = self._program
        names = [token for token in program.tokens if token.kind in {"Identifier", "Keyword"}]
        known = {token.value for token in names if token.value.isascii()} | _NAMES.keys() | {API, CALL, "exports"}
        for token in names:
            twin = None if token.value.isascii() else twin_of(token.value, known)
            if twin is not None:
                line, column = program.source.place(token.start)
                message = f"a name that looks like {twin[:60]} and is another"
                self._found.append(Finding(line, column, "unsafe-script", message, "look-alike"))


def _writing(program: Program) -> Iterator[Finding]:
    """How the script is written: out of sight, packed, or so that nobody can read it."""
    source = program.source
    yield from wide_gaps(source, [(token.start, token.end, token.kind != "Comment") for token in program.tokens])
    numbered = [token for token in program.tokens if token.kind == "Identifier" and _NUMBERED.fullmatch(token.value)]
    if len({token.value for token in numbered}) >= _MANY_NUMBERED:
        yield _warning(
            source, numbered[0].start, "names like _0x1f2e are made by a program that hides what a script does"
        )
    for token in program.tokens:
        if token.kind == "Identifier" and "\\" in token.value:
            yield _warning(source, token.start, "a name is written with escapes; write it out")
        elif token.kind in {"String", "Template"}:
            for pattern in (_ESCAPED_TEXT, _PACKED_TEXT):
                match = pattern.search(token.value)
                if match is not None:
                    yield _warning(source, token.start + match.start(), "a long text that nobody can read")
    yield from _minified(program)


def _minified(program: Program) -> Iterator[Finding]:
    """Long lines that are code; a table of texts is long too, and can be read."""
    source = program.source
    if len(source.text) < _SHORT_SCRIPT:
        return
    written: dict[int, _Line] = {}
    for token in program.tokens:
        line = source.line(token.start)
        one = written.setdefault(line, _Line(token.start))
        if token.kind not in {"String", "Template", "Comment", "Numeric"}:
            one.code += len(token.value)
            one.steps += token.kind == "Keyword" or token.value == ";"
    for line, one in written.items():
        if one.code >= _LONG_LINE and one.steps >= _MANY_STEPS:
            column = source.place(one.start).column
            message = "the script is minified; publish what people can read"
            yield Finding(line, column, "minified-script", message, "minified")
            return


@dataclass
class _Line:
    start: int
    code: int = 0
    steps: int = 0


def _warning(source: ScriptSource, index: int, message: str) -> Finding:
    return Finding(*source.place(index), "obfuscated-script", message, "obfuscated")


def _written_name(member: Node) -> str | None:
    """A member's name where it is written out, as ``x.name`` or ``x["name"]``."""
    if not member.computed:
        name = getattr(member.property, "name", None) if member.property.type == "Identifier" else None
    else:
        name = member.property.value if member.property.type == "Literal" else None
    return name if isinstance(name, str) else None
