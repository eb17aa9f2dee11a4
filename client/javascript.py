"""JavaScript as a tree, with what each name in it stands for.

The parser is esprima-fork, in pure Python, so that the registry and the browser read a script alike. Its tree is
ESTree's; nodes are its own objects and untyped here. Everything below walks without recursion: a sum of ten thousand
terms is a tree ten thousand deep.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from client.script_source import START, Place, ScriptSource, ScriptUnreadable

DEEPEST_NESTING = 1000
"""Brackets in brackets."""

# The parser takes some 20 calls for a bracket; Python's own limit would refuse a script after fifty (PLATFORM.md).
_CALLS_ALLOWED = 40 * DEEPEST_NESTING

Node = Any

FUNCTIONS = frozenset({"FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"})
_LOOPS = frozenset({"ForStatement", "ForInStatement", "ForOfStatement"})
_CLASSES = frozenset({"ClassDeclaration", "ClassExpression"})
_SCOPES = FUNCTIONS | _LOOPS | _CLASSES | {"Program", "BlockStatement", "CatchClause", "SwitchStatement", "StaticBlock"}
_SKIPPED = frozenset({"type", "range", "loc", "comments", "tokens", "errors", "regex", "parent"})


class Token(NamedTuple):
    """``start`` and ``end`` index the source's text; ``kind`` is the parser's, or ``Comment``."""

    kind: str
    value: str
    start: int
    end: int


@dataclass(eq=False)
class Variable:
    """``values`` are the nodes whose value it may have, one for a constant; None among them is an unknown one.

    ``kind`` is var, let, const, function, class, parameter or catch.
    """

    name: str
    kind: str
    values: list[Node | None] = field(default_factory=list)
    uses: list[Node] = field(default_factory=list)

    @property
    def value(self) -> Node | None:
        """The only value it ever has, None when there are several or it can't be told."""
        return self.values[0] if len(self.values) == 1 else None


@dataclass(eq=False)
class Scope:
    node: Node
    outer: Scope | None
    takes_var: bool
    variables: dict[str, Variable] = field(default_factory=dict)

    def find(self, name: str) -> Variable | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.variables.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None


class Program:
    """A parsed script.

    ``nodes`` is every node, a parent before its children; ``globals`` the uses of names that the script does not
    declare, ``arguments`` those of functions' own ``arguments``.
    """

    def __init__(self, source: ScriptSource, root: Node, tokens: list[Token]) -> None:
        self.source = source
        self.root = root
        self.tokens = tokens
        self.nodes: list[Node] = []
        self.globals: list[Node] = []
        self.arguments: list[Node] = []
        self._parents: dict[int, tuple[Node, str]] = {}
        self._scopes: dict[int, Scope] = {}
        self._variables: dict[int, Variable] = {}
        self._bound: set[int] = set()
        self._walk()
        self._declare()
        self._resolve()

    def parent(self, node: Node) -> Node:
        """None for the root alone."""
        found = self._parents.get(id(node))
        return None if found is None else found[0]

    def role(self, node: Node) -> str:
        """The key of its parent that holds it, such as ``callee``; empty for the root."""
        found = self._parents.get(id(node))
        return "" if found is None else found[1]

    def ancestors(self, node: Node) -> Iterator[Node]:
        """From its parent outwards."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def place(self, node: Node) -> Place:
        return self.source.place(node.range[0])

    def free(self) -> None:
        """Take the tree apart, node by node, once nobody needs it: a deep one that goes at once, each node by the one
        above it, takes more of the machine's stack than Python has in a browser."""
        for node in self.nodes:
            node.__dict__.clear()

    def variable(self, node: Node) -> Variable | None:
        """What an identifier in an expression refers to; None when the script doesn't declare it."""
        return self._variables.get(id(node))

    def is_global(self, node: Node, *names: str) -> bool:
        """Whether an expression is a name that the script doesn't declare, one of ``names`` if there are any."""
        return (
            node.type == "Identifier"
            and id(node) in self._uses
            and id(node) not in self._variables
            and (not names or node.name in names)
        )

    def is_one_of(self, node: Node, variables: set[int], name: str) -> bool:
        """Whether an expression is a use of one of these variables (by ``id``), or of the global ``name``."""
        if node.type != "Identifier":
            return False
        variable = self.variable(node)
        return self.is_global(node, name) if variable is None else id(variable) in variables

    def is_own_arguments(self, node: Node, function: Node) -> bool:
        """Whether a node is the ``arguments`` of that very function."""
        if function.type == "ArrowFunctionExpression":
            return False
        around = (above for above in self.ancestors(node) if above.type in FUNCTIONS)
        return next((above for above in around if above.type != "ArrowFunctionExpression"), None) is function

    def declared(self, node: Node) -> Variable | None:
        """The variable that a function's or a class's name, or a parameter, declares."""
        scope = self._scopes.get(id(node))
        return scope.find(node.name) if scope is not None and node.type == "Identifier" else None

    def function_of(self, node: Node) -> Node | None:
        """The innermost function around a node, arrows included."""
        return next((above for above in self.ancestors(node) if above.type in FUNCTIONS), None)

    def value(self, node: Node) -> Node | None:
        """An expression followed to what it stands for: the function behind a name, for one."""
        for _ in range(10):
            if node is None:
                return None
            if node.type in {"ParenthesizedExpression", "ChainExpression"}:
                node = node.expression
            elif node.type == "AssignmentExpression" and node.operator == "=":
                node = node.right
            elif node.type == "Identifier":
                variable = self.variable(node)
                if variable is None:
                    return node
                node = variable.value
            else:
                return node
        return None

    def _walk(self) -> None:
        waiting: list[tuple[Node, Scope]] = [(self.root, Scope(self.root, None, takes_var=True))]
        while waiting:
            node, scope = waiting.pop()
            self.nodes.append(node)
            kind = node.type
            inner = scope
            if kind in _SCOPES and kind != "Program":
                parent = self.parent(node)
                is_body = kind == "BlockStatement" and parent is not None and parent.type in FUNCTIONS
                inner = Scope(node, scope, takes_var=is_body or kind == "StaticBlock")
            self._scopes[id(node)] = inner
            below = list(children(node))
            for key, child in reversed(below):
                self._parents[id(child)] = (node, key)
                outside = key == "id" and kind in {"FunctionDeclaration", "ClassDeclaration"}
                waiting.append((child, scope if outside else inner))

    def _declare(self) -> None:
        for node in self.nodes:
            scope = self._scopes[id(node)]
            match node.type:
                case "VariableDeclaration":
                    while node.kind == "var" and not scope.takes_var and scope.outer is not None:
                        scope = scope.outer
                    of_loop = self._is_loop_head(node)
                    for one in node.declarations:
                        self._declarator(scope, node.kind, one, of_loop=of_loop)
                case "FunctionDeclaration":
                    if node.id is not None:
                        self._bind(self._scopes[id(node.id)], "function", node.id, node)
                    self._parameters(scope, node)
                case "FunctionExpression" | "ArrowFunctionExpression":
                    self._parameters(scope, node)
                    name = getattr(node, "id", None)
                    if name is not None:
                        if name.name not in scope.variables:
                            self._bind(scope, "function", name, node)
                        self._bound.add(id(name))
                case "ClassDeclaration":
                    if node.id is not None:
                        self._bind(self._scopes[id(node.id)], "class", node.id, node)
                case "ClassExpression":
                    if node.id is not None:
                        self._bind(scope, "class", node.id, node)
                case "CatchClause":
                    if node.param is not None:
                        for name in names_in(node.param):
                            self._bind(scope, "catch", name, None)

    def _declarator(self, scope: Scope, kind: str, one: Node, *, of_loop: bool) -> None:
        whole = one.id.type == "Identifier"
        for name in names_in(one.id):
            if of_loop or (one.init is not None and not whole):
                self._bind(scope, kind, name, None)
            elif one.init is not None:
                self._bind(scope, kind, name, one.init)
            else:
                self._bind(scope, kind, name)

    def _parameters(self, scope: Scope, function: Node) -> None:
        for parameter in function.params:
            for name in names_in(parameter):
                self._bind(scope, "parameter", name, None)

    def _bind(self, scope: Scope, kind: str, name: Node, *values: Node | None) -> None:
        self._bound.add(id(name))
        variable = scope.variables.setdefault(name.name, Variable(name.name, kind))
        variable.values.extend(values)
        self._scopes[id(name)] = scope

    def _resolve(self) -> None:
        self._uses: set[int] = set()
        for node in self.nodes:
            if node.type != "Identifier" or id(node) in self._bound or not self._is_expression(node):
                continue
            self._uses.add(id(node))
            variable = self._scopes[id(node)].find(node.name)
            if variable is None:
                own = node.name == "arguments" and self._has_arguments(node)
                (self.arguments if own else self.globals).append(node)
                continue
            self._variables[id(node)] = variable
            variable.uses.append(node)
            if self.is_written(node):
                parent = self.parent(node)
                plain = parent.type == "AssignmentExpression" and parent.operator == "="
                variable.values.append(parent.right if plain else None)

    def is_written(self, node: Node) -> bool:
        """Whether an identifier in an expression is assigned to."""
        parent, role = self.parent(node), self.role(node)
        match parent.type if parent is not None else "":
            case "AssignmentExpression" | "AssignmentPattern":
                return role == "left"
            case "UpdateExpression" | "ArrayPattern" | "RestElement":
                return True
            case "ForInStatement" | "ForOfStatement":
                return role == "left"
            case "Property":
                holder = self.parent(parent)
                return role == "value" and holder is not None and holder.type == "ObjectPattern"
        return False

    def _is_loop_head(self, declaration: Node) -> bool:
        parent = self.parent(declaration)
        return parent is not None and parent.type in {"ForInStatement", "ForOfStatement"}

    def _has_arguments(self, node: Node) -> bool:
        return any(
            above.type in FUNCTIONS and above.type != "ArrowFunctionExpression" for above in self.ancestors(node)
        )

    def _is_expression(self, node: Node) -> bool:
        parent, role = self.parent(node), self.role(node)
        if parent is None:
            return True
        match parent.type:
            case "MemberExpression":
                return role == "object" or bool(parent.computed)
            case "Property":
                return role == "value" or bool(parent.computed)
            case "MethodDefinition" | "PropertyDefinition" | "FieldDefinition" | "AccessorProperty":
                return role == "value" or bool(parent.computed)
            case "LabeledStatement" | "BreakStatement" | "ContinueStatement":
                return role == "body"
            case "MetaProperty":
                return False
        return True


def children(node: Node) -> Iterator[tuple[str, Node]]:
    """The nodes right below a node, in the order of the source, each with the key that holds it."""
    shorthand = node.type == "Property" and node.shorthand
    for key, value in vars(node).items():
        # A shorthand's key and value are one and the same name.
        if key in _SKIPPED or (shorthand and key == "key"):
            continue
        if isinstance(value, list):
            for one in value:
                if _is_node(one):
                    yield key, one
        elif _is_node(value):
            yield key, value


def names_in(pattern: Node) -> list[Node]:
    """The identifiers that a declaration's pattern declares."""
    found, waiting = [], [pattern]
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        match node.type:
            case "Identifier":
                found.append(node)
            case "AssignmentPattern":
                waiting.append(node.left)
            case "RestElement":
                waiting.append(node.argument)
            case "ArrayPattern":
                waiting.extend(node.elements)
            case "ObjectPattern":
                waiting.extend(node.properties)
            case "Property":
                waiting.append(node.value)
    return found


def parse(source: ScriptSource) -> Program:
    """Read a script the way a classic worker would: as a Script, not as a Module.

    :raises ScriptUnreadable: a browser would refuse it, it is nested deeper than ``DEEPEST_NESTING``, or it uses
        syntax this parser doesn't know yet (decorators, ``using``)
    """
    if source.text.startswith("#!"):
        raise ScriptUnreadable("starts with #!, which is for programs on a computer")
    import esprima  # noqa: PLC0415 # a tenth of a second and not needed before there is a script

    root: Any = None
    failure: ScriptUnreadable | None = None
    _refuse_deep(source, esprima)
    with _deep_calls():
        try:
            root = esprima.parseScript(source.text, _OPTIONS)
        except esprima.Error as error:
            failure = _unreadable(error, source)
            _free_steps(error)
        except RecursionError as error:
            failure = ScriptUnreadable("is nested too deep", _deep_place(source))
            _free_steps(error)
        if failure is not None:
            raise failure
        tokens = [_token(token) for token in root.tokens]
        comments = [Token("Comment", comment.value, *comment.range) for comment in root.comments or ()]
        program = Program(source, root, sorted([*tokens, *comments], key=lambda token: token.start))
    _check_nesting(program.tokens, source)
    return program


_OPTIONS = {"range": True, "tokens": True, "comment": True, "positionEncoding": "scalar"}


@contextlib.contextmanager
def _deep_calls() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _CALLS_ALLOWED))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _free_steps(error: BaseException) -> None:
    """Free a traceback step by step. One of twenty thousand steps that is freed at once, each step by the one before,
    takes more of the machine's stack than Python has in a browser."""
    seen: BaseException | None = error
    while seen is not None:
        steps = []
        step = seen.__traceback__
        while step is not None:
            steps.append(step)
            step = step.tb_next
        seen.__traceback__ = None
        for step in steps:
            step.tb_next = None
        # The innermost first: each holds on to the one outside of it.
        while steps:
            steps.pop()
        seen = seen.__context__


def _token(token: Any) -> Token:
    return Token(token.type, token.value, *token.range)


def _unreadable(error: Any, source: ScriptSource) -> ScriptUnreadable:
    index = getattr(error, "index", None)
    place = source.place(min(index, len(source.text))) if isinstance(index, int) else START
    if "nesting" in str(error.message):
        return ScriptUnreadable("is nested too deep", place)
    message = re.sub(r"^Line \d+: ", "", str(error.message))
    return ScriptUnreadable(f"can't be read: {message[:200]}", place)


def _refuse_deep(source: ScriptSource, esprima: Any) -> None:
    """Look at the nesting before the parser goes as deep: in a browser it would die of a script that is far too deep.
    Only what has so many brackets is taken into tokens for it, once more than others."""
    if _deep_place(source) == START:
        return
    try:
        tokens = [_token(token) for token in esprima.tokenize(source.text, {"range": True})]
    except (esprima.Error, AttributeError):
        # The parser says it better.
        return
    _check_nesting(tokens, source)


def _check_nesting(tokens: Iterable[Token], source: ScriptSource) -> None:
    depth = 0
    for token in tokens:
        if token.kind == "Punctuator":
            depth += (token.value in "([{") - (token.value in ")]}")
        elif token.kind == "Template":
            depth += token.value.endswith("${")
            depth -= token.value.startswith("}")
        if depth > DEEPEST_NESTING:
            raise ScriptUnreadable("is nested too deep", source.place(token.start))


def _deep_place(source: ScriptSource) -> Place:
    depth = 0
    for index, character in enumerate(source.text):
        depth += (character in "([{") - (character in ")]}")
        if depth > DEEPEST_NESTING:
            return source.place(index)
    return START


def _is_node(value: object) -> bool:
    return isinstance(getattr(value, "type", None), str) and hasattr(value, "range")
