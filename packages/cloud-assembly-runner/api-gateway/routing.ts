/**
 * Resource tree of an API and route matching: API Gateway developer guide, "Methods for REST APIs", "Set up a proxy
 * integration with a proxy resource" (`{proxy+}`) and "Amazon API Gateway important notes" (path segments).
 */

export interface Routes<Method> {
  /** Adds a method (`GET`, … or `ANY`) of a path, and the path's resources. @throws Error for a path that API Gateway refuses */
  add(path: string, httpMethod: string, method: Method): void;
  /** Matches a path with a leading slash and valid percent-encoding; undefined for an unknown path or method. */
  find(path: string, httpMethod: string): Route<Method> | undefined;
  all(): Method[];
}

export interface Route<Method> {
  readonly method: Method;
  /** Percent-decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Node<Method> {
  readonly pathPart: string;
  readonly literals: Map<string, Node<Method>>;
  /** The child that matches any segment, or with `+}` all that follow. */
  variable: Node<Method> | undefined;
  readonly methods: Map<string, Method>;
}

interface Match<Method> {
  readonly node: Node<Method>;
  readonly pathParameters: Record<string, string>;
}

/** "Quotas for configuring and running a REST API in API Gateway": resources of an API, with its root. */
const MAX_RESOURCES = 300;

const PATH_PART = /^(?:[\w.,:-]+|\{[\w.,:-]+\+?\})$/;

export function createRoutes<Method>(): Routes<Method> {
  const root = nodeOf<Method>('');
  let resources = 1;

  function childOf(parent: Node<Method>, pathPart: string): Node<Method> {
    const { variable, literals } = parent;
    const isVariable = pathPart.startsWith('{');
    const known = isVariable ? variable : literals.get(pathPart);
    if (known?.pathPart === pathPart) return known;
    if (isGreedy(parent)) throw new Error(`nothing can follow ${parent.pathPart}`);
    if (!PATH_PART.test(pathPart)) throw new Error(`the path part “${pathPart}” has characters that it can't have`);
    if (known) throw new Error(`a sibling (${known.pathPart}) of ${pathPart} already has a variable path part`);
    resources += 1;
    if (resources > MAX_RESOURCES) throw new Error(`an API has at most ${MAX_RESOURCES} resources`);
    const child = nodeOf<Method>(pathPart);
    if (isVariable) parent.variable = child;
    else literals.set(pathPart, child);
    return child;
  }

  return {
    add(path, httpMethod, method) {
      if (!path.startsWith('/')) throw new Error('a path starts with a slash');
      const parts = path === '/' ? [] : path.slice(1).split('/');
      parts.reduce(childOf, root).methods.set(httpMethod, method);
    },
    all: () => descendants(root).flatMap(({ methods }) => [...methods.values()]),
    find(path, httpMethod) {
      // API Gateway ignores one trailing slash (seen by localstack: test_apigateway_lambda.snapshot.json, recorded on AWS).
      const segments = path.replace(/^\//, '').replace(/\/$/, '');
      const match = descend(root, segments === '' ? [] : segments.split('/').map(decodeURIComponent));
      const method = match?.node.methods.get(httpMethod) ?? match?.node.methods.get('ANY');
      return match && method && { method, pathParameters: match.pathParameters };
    },
  };
}

function nodeOf<Method>(pathPart: string): Node<Method> {
  return { pathPart, literals: new Map(), variable: undefined, methods: new Map() };
}

const isGreedy = ({ pathPart }: { readonly pathPart: string }) => pathPart.endsWith('+}');

function descendants<Method>(node: Node<Method>): Node<Method>[] {
  const children = [...node.literals.values(), ...(node.variable ? [node.variable] : [])];
  return [node, ...children.flatMap(descendants)];
}

/**
 * A literal segment wins over a variable one. Resources without methods are not deployed. There is no backtracking: AWS
 * documents none, so an API must not rely on it.
 */
function descend<Method>(node: Node<Method>, segments: readonly string[]): Match<Method> | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return node.methods.size > 0 ? { node, pathParameters: {} } : undefined;
  const literal = node.literals.get(segment);
  if (literal) return descend(literal, rest);
  const { variable } = node;
  if (!variable) return undefined;
  if (isGreedy(variable)) return bind(descend(variable, []), variable, segments.join('/'));
  return segment === '' ? undefined : bind(descend(variable, rest), variable, segment);
}

function bind<Method>(
  match: Match<Method> | undefined,
  { pathPart }: Node<Method>,
  value: string,
): Match<Method> | undefined {
  const name = pathPart.replace(/^\{|\+?\}$/g, '');
  return match && { node: match.node, pathParameters: { ...match.pathParameters, [name]: value } };
}
