"""Calls of plugins that can't be read off the script (``dynamic-plugin-call``).

What players are warned of before they sit down is computed from the plugins and functions a mod declares, so a script
has to name both in the call itself (seed page "Plugins", SECURITY.md section 2). That is only certain while ``api`` is
nowhere out of sight: the scanner follows it into the script's own functions and refuses where it can't.
"""

from __future__ import annotations

from collections.abc import Iterator

from client.finding import Finding
from client.javascript import FUNCTIONS, Node, Program, Variable, names_in

API = "api"
CALL = "callPlugin"
_COMPARISONS = frozenset({"==", "===", "!=", "!==", "in", "instanceof"})
_BINDERS = frozenset({"bind", "call", "apply"})
_TESTS = {
    "IfStatement": "test",
    "ConditionalExpression": "test",
    "WhileStatement": "test",
    "DoWhileStatement": "test",
    "ForStatement": "test",
}


def dynamic_plugin_calls(program: Program) -> Iterator[Finding]:
    """Everything about ``api`` that could call a plugin by a computed name."""
    yield from _Following(program).findings()


class _Following:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._found: list[Finding] = []
        self._waiting: list[Variable] = []
        self._followed: set[int] = set()
        self._given_api: set[int] = set()

    def findings(self) -> list[Finding]:
        program = self._program
        for node in program.nodes:
            if node.type in FUNCTIONS:
                for name in names_in_parameters(node):
                    if name.name == API:
                        self._follow(name, node)
            elif node.type == "AssignmentExpression":
                self._assignment(node)
        for use in program.globals:
            if use.name == API:
                self._check(use)
            elif use.name == "exports":
                self._exports(use)
        while self._waiting:
            for use in self._waiting.pop().uses:
                self._check(use)
        return self._found

    def _complain(self, node: Node, message: str) -> None:
        line, column = self._program.place(node)
        self._found.append(Finding(line, column, "dynamic-plugin-call", message, "plugin-call"))

    # Where api comes from

    def _assignment(self, node: Node) -> None:
        left, right = node.left, node.right
        if left.type == "MemberExpression" and _name_of(left) == "setup" and self._is_exports(left.object):
            self._setup(right)
        elif self._is_exports(left):
            value = self._program.value(right)
            if value is not None and value.type == "ObjectExpression":
                for entry in value.properties:
                    if entry.type == "Property" and not entry.computed and _key_of(entry) == "setup":
                        self._setup(entry.value)

    def _setup(self, node: Node) -> None:
        function = self._program.value(node)
        if _is_nothing(function):
            # What compilers write in front: exports.setup = void 0.
            return
        if function is None or function.type not in FUNCTIONS:
            self._complain(node, "setup has to be a function of this script, so that what it does with api can be read")
            return
        self._hand_to(function, 0, node)

    def _is_exports(self, node: Node) -> bool:
        program = self._program
        if program.is_global(node, "exports"):
            return True
        is_member = node.type == "MemberExpression" and _name_of(node) == "exports"
        return is_member and program.is_global(node.object, "module")

    def _exports(self, use: Node) -> None:
        parent, role = self._program.parent(use), self._program.role(use)
        named = parent.type == "MemberExpression" and role == "object" and _name_of(parent) is not None
        if named or self._is_harmless(use) or (parent.type == "AssignmentExpression" and role == "left"):
            return
        if self._is_marked(parent, use):
            return
        self._complain(use, "exports is handed on here; assign exports.setup, so that setup can be found")

    def _is_marked(self, call: Node, exports: Node) -> bool:
        """``Object.defineProperty(exports, "__esModule", …)``, as compilers write it; of any key but setup."""
        if call.type != "CallExpression" or len(call.arguments) < 2 or call.arguments[0] is not exports:
            return False
        callee, key = call.callee, call.arguments[1]
        if callee.type != "MemberExpression" or _name_of(callee) != "defineProperty":
            return False
        return self._program.is_global(callee.object, "Object") and _is_written_out(key) and _text_of(key) != "setup"

    def _follow(self, name: Node, function: Node) -> None:
        variable = self._program.declared(name)
        self._given_api.add(id(function))
        if variable is not None and id(variable) not in self._followed:
            self._followed.add(id(variable))
            self._waiting.append(variable)
            for node in self._program.arguments:
                if self._program.is_own_arguments(node, function):
                    self._complain(node, "arguments holds api here; use it by its name")

    def _hand_to(self, function: Node, index: int, at: Node) -> None:
        """Api becomes the argument of this index."""
        if any(parameter.type == "RestElement" for parameter in function.params[: index + 1]):
            self._complain(at, "api goes into a rest parameter here, where it can't be followed")
            return
        if index >= len(function.params):
            if any(self._program.is_own_arguments(node, function) for node in self._program.arguments):
                self._complain(at, "api goes to a function here that reads its arguments")
            return
        parameter = function.params[index]
        if parameter.type == "AssignmentPattern":
            parameter = parameter.left
        if parameter.type == "Identifier":
            self._follow(parameter, function)
        else:
            self._destructured(parameter)

    # What is done with it

    def _check(self, use: Node) -> None:
        program = self._program
        parent, role = program.parent(use), program.role(use)
        if parent.type == "MemberExpression" and role == "object":
            self._member(parent)
        elif self._is_harmless(use):
            pass
        elif parent.type in {"CallExpression", "NewExpression"} and role == "arguments":
            self._argument(parent, use)
        elif parent.type == "VariableDeclarator" and parent.id.type == "ObjectPattern":
            self._destructured(parent.id)
        elif parent.type == "AssignmentExpression" and role == "right" and parent.left.type == "ObjectPattern":
            self._destructured(parent.left)
        elif program.is_written(use):
            self._complain(use, "api is replaced here; keep other things under other names")
        elif parent.type == "AssignmentPattern":
            self._complain(use, "api gets another name here; use it by its own")
        else:
            self._complain(use, "api gets another name or goes out of sight here; use it by its own name")

    def _member(self, member: Node) -> None:
        if member.computed:
            self._complain(member.property, "api is used with a computed name; write api.name")
            return
        if member.property.name != CALL:
            return
        call, role = self._program.parent(member), self._program.role(member)
        if self._is_harmless(member):
            return
        if call.type != "CallExpression" or role != "callee":
            self._complain(
                member.property, f"{CALL} has to be called where it stands: api.{CALL}('plugin', 'function', …)"
            )
            return
        names = call.arguments[:2]
        for name in names:
            if not _is_written_out(name):
                self._complain(name, "the plugin and the function have to be named in the call by literal texts")
                return
        if len(names) < 2:
            self._complain(member.property, "the plugin and the function have to be named in the call")

    def _destructured(self, pattern: Node) -> None:
        if pattern.type != "ObjectPattern":
            self._complain(pattern, "api is taken apart here in a way that can't be followed")
            return
        for entry in pattern.properties:
            if entry.type != "Property" or entry.computed:
                self._complain(entry, "api is taken apart here by a name that can't be told")
            elif _key_of(entry) == CALL:
                self._complain(entry, f"{CALL} has to be called where it stands: api.{CALL}('plugin', 'function', …)")

    def _argument(self, call: Node, use: Node) -> None:
        program = self._program
        index = next(number for number, one in enumerate(call.arguments) if one is use)
        callee = call.callee
        if any(one.type == "SpreadElement" for one in call.arguments[:index]):
            self._complain(use, "api is handed on at a place that can't be told")
            return
        if callee.type == "MemberExpression" and _name_of(callee) in _BINDERS and index == 0:
            method = callee.object
            if method.type == "MemberExpression" and program.is_one_of(method.object, self._followed, API):
                # api.log.bind(api): the member itself has been looked at.
                return
        function = self._target(call)
        if function is None:
            self._complain(use, "api is handed to something that can't be followed here; pass it to own functions only")
        else:
            self._hand_to(function, index, use)

    def _target(self, call: Node) -> Node | None:
        """The script's own function that a call runs."""
        program = self._program
        callee = call.callee
        if callee.type == "MemberExpression":
            holder = program.value(callee.object)
            name = _name_of(callee)
            if holder is None or name is None or holder.type != "ObjectExpression" or call.type == "NewExpression":
                return None
            found = [one for one in holder.properties if one.type != "Property" or _key_of(one) == name]
            value = program.value(found[0].value) if len(found) == 1 and found[0].type == "Property" else None
        else:
            value = program.value(callee)
        if value is None:
            return None
        if value.type in {"ClassDeclaration", "ClassExpression"} and call.type == "NewExpression":
            methods = [one for one in value.body.body if getattr(one, "kind", None) == "constructor"]
            return methods[0].value if methods else None
        return value if value.type in FUNCTIONS else None

    def _is_harmless(self, node: Node) -> bool:
        """Whether only the presence of a value matters here."""
        parent, role = self._program.parent(node), self._program.role(node)
        match parent.type:
            case "UnaryExpression" | "ExpressionStatement":
                return True
            case "BinaryExpression":
                return parent.operator in _COMPARISONS
            case "LogicalExpression":
                if role == "left" and parent.operator == "&&":
                    return True
                return self._is_harmless(parent)
            case kind:
                return _TESTS.get(kind) == role


def names_in_parameters(function: Node) -> list[Node]:
    """The identifiers that are parameters themselves, not parts of one that is taken apart."""
    found = []
    for parameter in function.params:
        plain = parameter.left if parameter.type == "AssignmentPattern" else parameter
        if plain.type == "Identifier":
            found += names_in(plain)
    return found


def _name_of(member: Node) -> str | None:
    """A member's name where it is written out, as ``x.name`` or ``x["name"]``."""
    name = member.property.value if member.computed and member.property.type == "Literal" else None
    if not member.computed:
        name = getattr(member.property, "name", None)
    return name if isinstance(name, str) else None


def _key_of(entry: Node) -> str | None:
    if entry.computed:
        return None
    name = getattr(entry.key, "name", None) or getattr(entry.key, "value", None)
    return name if isinstance(name, str) else None


def _is_nothing(node: Node | None) -> bool:
    """``null``, or ``void`` of a number."""
    if node is None:
        return False
    if node.type == "UnaryExpression":
        return bool(node.operator == "void" and node.argument.type == "Literal")
    return bool(node.type == "Literal" and node.raw == "null")


def _text_of(written_out: Node) -> object:
    return written_out.value if written_out.type == "Literal" else written_out.quasis[0].value.cooked


def _is_written_out(node: Node) -> bool:
    if node.type == "Literal":
        return isinstance(node.value, str)
    return node.type == "TemplateLiteral" and not node.expressions
