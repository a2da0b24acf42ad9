/** Whether cloudfront-js-2.0 takes a program: CloudFront developer guide, "JavaScript runtime 2.0 features for CloudFront Functions". */
import { parse, type AnyNode, type CallExpression, type NewExpression, type Program } from 'acorn';
import { fullAncestor } from 'acorn-walk';
import { runtimeGlobals, runtimeModules, runtimeStatics } from './runtime-objects';
import { unlistedSyntax } from './runtime-syntax';

/** Something that the runtime does not have; lines count from 1. */
export interface Unlisted {
  readonly what: string;
  readonly line: number;
}

/**
 * What a program has that AWS does not list, in the order in which it stands there. `missingMethods` are the names of methods that
 * other JavaScript has and this runtime has not. Throws a SyntaxError for what is no JavaScript.
 */
export function unlistedIn(code: string, missingMethods: ReadonlySet<string>): readonly Unlisted[] {
  // The runtime is always in strict mode, as modules are; that it has no modules, the walk finds out.
  const program = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowAwaitOutsideFunction: false,
    locations: true,
  });
  const declared = declaredIn(program);
  const found: (Unlisted & { readonly node: AnyNode })[] = [];
  walk(program, (node, above) => {
    const what = unlistedSyntax(node, above) ?? unlistedName(node, declared, missingMethods);
    if (what !== undefined) found.push({ what, line: node.loc?.start.line ?? 0, node });
  });
  // What encloses goes first: of an unlisted declaration the declaration is the fault, not the names in it.
  return found.sort(({ node: one }, { node: other }) => one.start - other.start || other.end - one.end);
}

/** `above` is without the node itself. */
function walk(program: Program, visit: (node: AnyNode, above: readonly AnyNode[]) => void): void {
  fullAncestor(program, (node, _state, ancestors) => visit(node, ancestors.slice(0, -1)));
}

interface Declared {
  /** Variables, parameters and functions of all scopes: a name that is declared somewhere counts as declared. */
  readonly names: ReadonlySet<string>;
  /** Names of properties that the program itself defines. */
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

function unlistedName(node: AnyNode, declared: Declared, missing: ReadonlySet<string>): string | undefined {
  if (node.type === 'CallExpression' || node.type === 'NewExpression') return unlistedCall(node, declared, missing);
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

function unlistedCall(
  { callee, arguments: given }: CallExpression | NewExpression,
  { names, properties }: Declared,
  missing: ReadonlySet<string>,
): string | undefined {
  if (callee.type === 'Identifier' && !names.has(callee.name)) {
    if (callee.name === 'Function') return 'the Function constructor';
    const [first] = given;
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
  return object.name === 'console' && given.length > 1 ? 'console.log of more than one value' : undefined;
}

/** The name after the dot, if there is one. */
function propertyOf(node: AnyNode): string | undefined {
  return node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier'
    ? node.property.name
    : undefined;
}
