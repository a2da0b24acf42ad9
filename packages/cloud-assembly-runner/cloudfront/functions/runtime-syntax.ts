/**
 * Syntax of cloudfront-js-2.0: CloudFront developer guide, "JavaScript runtime 2.0 features for CloudFront Functions".
 */
import type { AnyNode, Function as AnyFunction } from 'acorn';

/** Supported node types that need no further check. */
const supported = new Set<AnyNode['type']>([
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
const names: Readonly<Record<string, string>> = {
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
export function unsupportedSyntax(node: AnyNode, parents: readonly AnyNode[]): string | undefined {
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
      return supported.has(node.type) ? undefined : (names[node.type] ?? node.type);
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
