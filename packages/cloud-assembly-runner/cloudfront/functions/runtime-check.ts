/**
 * Checks code against cloudfront-js-2.0: CloudFront developer guide, "JavaScript runtime 2.0 features for CloudFront
 * Functions".
 */
import {
  parse,
  type AnyNode,
  type CallExpression,
  type Function as AnyFunction,
  type NewExpression,
  type Program,
} from 'acorn';
import { fullAncestor } from 'acorn-walk';
import { runtimeGlobals, runtimeModules, runtimeStatics } from './runtime-context';

/** A feature that the runtime lacks; lines count from 1. */
export interface UnsupportedFeature {
  readonly feature: string;
  readonly line: number;
}

/**
 * Unsupported features of a program, in the order of its source.
 * @param missingMethods names of standard JavaScript methods that this runtime lacks
 * @throws SyntaxError
 */
export function findUnsupported(code: string, missingMethods: ReadonlySet<string>): readonly UnsupportedFeature[] {
  // The runtime always uses strict mode, as modules do. It has no modules; the check reports them.
  const program = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowAwaitOutsideFunction: false,
    locations: true,
  });
  const declared = declaredIn(program);
  const unsupported: (UnsupportedFeature & { readonly node: AnyNode })[] = [];
  walk(program, (node, parents) => {
    const feature = unsupportedSyntax(node, parents) ?? unsupportedName(node, declared, missingMethods);
    if (feature !== undefined) unsupported.push({ feature: feature, line: node.loc?.start.line ?? 0, node });
  });
  // Outer nodes first: an unsupported declaration is reported, not the names in it.
  return unsupported.sort(({ node: one }, { node: other }) => one.start - other.start || other.end - one.end);
}

/** `above`: the ancestors of the node, without itself. */
function walk(program: Program, visit: (node: AnyNode, parents: readonly AnyNode[]) => void): void {
  fullAncestor(program, (node, _state, ancestors) => visit(node, ancestors.slice(0, -1)));
}

interface Declared {
  /** Variables, parameters and functions of all scopes: a name declared anywhere counts as declared. */
  readonly names: ReadonlySet<string>;
  /** Property names that the program defines itself. */
  readonly properties: ReadonlySet<string>;
}

function declaredIn(program: Program): Declared {
  const names = new Set<string>();
  const properties = new Set<string>();
  const add = (one: AnyNode | null | undefined) => {
    if (one?.type === 'Identifier') names.add(one.name);
    if (one?.type === 'RestElement') add(one.argument);
  };
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator') add(node.id);
    if (node.type === 'CatchClause') add(node.param);
    if ('params' in node) node.params.forEach(add);
    if (node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression') add(node.id);
    if (node.type === 'Property' && node.key.type === 'Identifier') properties.add(node.key.name);
    if (node.type === 'AssignmentExpression') properties.add(propertyOf(node.left) ?? '');
  });
  return { names, properties };
}

function unsupportedName(node: AnyNode, declared: Declared, missing: ReadonlySet<string>): string | undefined {
  if (node.type === 'CallExpression' || node.type === 'NewExpression') return unsupportedCall(node, declared, missing);
  if (node.type === 'Identifier') {
    return declared.names.has(node.name) || runtimeGlobals.has(node.name) ? undefined : node.name;
  }
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier') return undefined;
  const { name } = node.object;
  const property = propertyOf(node);
  const statics = declared.names.has(name) ? undefined : runtimeStatics[name];
  if (!statics || property === undefined || ['prototype', 'length', 'name'].includes(property)) return undefined;
  return statics.includes(property) ? undefined : `${name}.${property}`;
}

function unsupportedCall(
  { callee, arguments: args }: CallExpression | NewExpression,
  { names, properties }: Declared,
  missing: ReadonlySet<string>,
): string | undefined {
  if (callee.type === 'Identifier' && !names.has(callee.name)) {
    if (callee.name === 'Function') return 'the Function constructor';
    const [first] = args;
    const module = first?.type === 'Literal' ? String(first.value) : undefined;
    const isUnknown = callee.name === 'require' && module !== undefined && !runtimeModules.includes(module);
    return isUnknown ? `the module ${module}` : undefined;
  }
  const method = propertyOf(callee);
  if (method === undefined || callee.type !== 'MemberExpression') return undefined;
  const { object } = callee;
  if (object.type !== 'Identifier' || names.has(object.name) || !(object.name in runtimeStatics)) {
    return missing.has(method) && !properties.has(method) ? `the method ${method}` : undefined;
  }
  return object.name === 'console' && args.length > 1 ? 'console.log of more than one value' : undefined;
}

/** Property name of a non-computed member access. */
function propertyOf(node: AnyNode): string | undefined {
  return node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier'
    ? node.property.name
    : undefined;
}

/** Supported node types that need no further check. */
const supportedSyntax = new Set<AnyNode['type']>([
  ...([
    'Program',
    'EmptyStatement',
    'BlockStatement',
    'ExpressionStatement',
    'IfStatement',
    'LabeledStatement',
  ] as const),
  ...(['BreakStatement', 'ContinueStatement', 'SwitchStatement', 'SwitchCase', 'ReturnStatement'] as const),
  ...([
    'ThrowStatement',
    'TryStatement',
    'WhileStatement',
    'DoWhileStatement',
    'ForStatement',
    'ForInStatement',
  ] as const),
  ...(['VariableDeclaration', 'VariableDeclarator', 'ThisExpression', 'ArrayExpression', 'ObjectExpression'] as const),
  ...(['SequenceExpression', 'UnaryExpression', 'UpdateExpression', 'BinaryExpression', 'RestElement'] as const),
  ...(['ConditionalExpression', 'CallExpression', 'NewExpression', 'MemberExpression', 'Identifier'] as const),
  ...(['TemplateLiteral', 'TemplateElement'] as const),
]);

/** Readable names of unsupported node types; others are reported by their type. */
const syntaxNames: Readonly<Record<string, string>> = {
  ForOfStatement: 'for…of',
  ClassDeclaration: 'class',
  ClassExpression: 'class',
  SpreadElement: 'spread (…)',
  ObjectPattern: 'destructuring',
  ArrayPattern: 'destructuring',
  AssignmentPattern: 'a default value of a parameter',
  TaggedTemplateExpression: 'a tagged template',
  ChainExpression: 'optional chaining (?.)',
  ImportDeclaration: 'import',
  ImportExpression: 'import',
  ExportNamedDeclaration: 'export',
  ExportDefaultDeclaration: 'export',
  ExportAllDeclaration: 'export',
  MetaProperty: 'new.target and import.meta',
  DebuggerStatement: 'debugger',
};

/**
 * Readable name of the unsupported feature that a node uses; undefined if it is supported.
 * @param parents ancestors of the node, outermost first
 */
function unsupportedSyntax(node: AnyNode, parents: readonly AnyNode[]): string | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return unsupportedFunction(node, parents);
    case 'Property':
      if (node.method) return 'a method without «function»';
      if (node.shorthand) return 'a shorthand property';
      return node.computed ? 'a computed property name' : undefined;
    case 'LogicalExpression':
      return node.operator === '??' ? 'the operator ??' : undefined;
    case 'AssignmentExpression':
      return /^(\|\||&&|\?\?)=$/.test(node.operator) ? `the operator ${node.operator}` : undefined;
    case 'AwaitExpression':
      return isInArguments(node, parents) ? 'await in the arguments of a call' : undefined;
    case 'CatchClause':
      return node.param ? undefined : 'catch without a parameter';
    case 'Literal':
      return unsupportedLiteral(node.raw ?? '', node.regex?.flags);
    default:
      return supportedSyntax.has(node.type) ? undefined : (syntaxNames[node.type] ?? node.type);
  }
}

/** "async arguments and closures are not supported": only top-level functions may be async. */
function unsupportedFunction({ generator, async }: AnyFunction, parents: readonly AnyNode[]): string | undefined {
  if (generator) return 'a generator function';
  if (!async) return undefined;
  if (parents.some(isFunction)) return 'an async function within a function';
  return parents.at(-1)?.type === 'CallExpression' ? 'an async function as an argument' : undefined;
}

function unsupportedLiteral(raw: string, regexFlags: string | undefined): string | undefined {
  if (regexFlags !== undefined) {
    const flag = /[^gimy]/.exec(regexFlags)?.[0];
    return flag === undefined ? undefined : `the flag ${flag} of regular expressions`;
  }
  if (/^['"]/.test(raw)) return /(?<!\\)(\\\\)*\\u\{/.test(raw) ? 'the escape \\u{…}' : undefined;
  if (/^0[bo]/i.test(raw)) return 'a binary or octal number';
  return raw.endsWith('n') && /^\d/.test(raw) ? 'a BigInt' : undefined;
}

/** Whether the node is within an argument of a call in the same function. */
function isInArguments(node: AnyNode, parents: readonly AnyNode[]): boolean {
  const own = parents.slice(parents.findLastIndex(isFunction) + 1);
  return own.some(
    (one, index) =>
      (one.type === 'CallExpression' || one.type === 'NewExpression') &&
      one.arguments.some((argument) => argument === (own[index + 1] ?? node)),
  );
}

function isFunction({ type }: AnyNode): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}
