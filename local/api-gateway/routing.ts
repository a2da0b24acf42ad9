/**
 * Resource tree of an API and route matching: API Gateway developer guide, "Methods for REST APIs" and "Set up a proxy
 * integration with a proxy resource" (`{proxy+}`).
 */

export interface ResourceNode {
  readonly id: string;
  /** With its parameters, such as `/orders/{orderId}`. */
  readonly path: string;
}

export interface Routes<Method> {
  /** Adds a child resource and returns its path. @throws Error if the parent does not exist */
  add(id: string, parentId: string, pathPart: string): string;
  /** Adds a method (`GET`, … or `ANY`) to a resource. */
  addMethod(resourceId: string, httpMethod: string, method: Method): void;
  /** Matches a path with a leading slash and valid percent-encoding; undefined for an unknown path or method. */
  find(path: string, httpMethod: string): Route<Method> | undefined;
  all(): Method[];
  pathOf(resourceId: string): string;
}

export interface Route<Method> {
  readonly resource: ResourceNode;
  readonly method: Method;
  /** Percent-decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Node<Method> extends ResourceNode {
  readonly pathPart: string;
  readonly literals: Map<string, Node<Method>>;
  parameter: Node<Method> | undefined;
  greedy: Node<Method> | undefined;
  readonly methods: Map<string, Method>;
}

interface Match<Method> {
  readonly node: Node<Method>;
  readonly pathParameters: Record<string, string>;
}

export function createRoutes<Method>(rootId: string): Routes<Method> {
  const root = nodeOf<Method>(rootId, '', '/');
  const nodes = new Map([[rootId, root]]);

  function nodeAt(id: string): Node<Method> {
    const node = nodes.get(id);
    if (!node) throw new Error(`There is no resource ${id} in this API`);
    return node;
  }

  return {
    add(id, parentId, pathPart) {
      const parent = nodeAt(parentId);
      const node = nodeOf<Method>(id, pathPart, `${parent === root ? '' : parent.path}/${pathPart}`);
      if (pathPart.endsWith('+}')) parent.greedy = node;
      else if (pathPart.startsWith('{')) parent.parameter = node;
      else parent.literals.set(pathPart, node);
      nodes.set(id, node);
      return node.path;
    },
    addMethod: (resourceId, httpMethod, method) => void nodeAt(resourceId).methods.set(httpMethod, method),
    all: () => [...nodes.values()].flatMap(({ methods }) => [...methods.values()]),
    pathOf: (resourceId) => nodeAt(resourceId).path,
    find(path, httpMethod) {
      // API Gateway ignores one trailing slash.
      const segments = path.replace(/^\//, '').replace(/\/$/, '');
      const match = descend(root, segments === '' ? [] : segments.split('/').map(decodeURIComponent));
      const method = match?.node.methods.get(httpMethod) ?? match?.node.methods.get('ANY');
      if (!match || !method) return undefined;
      return { resource: match.node, method, pathParameters: match.pathParameters };
    },
  };
}

function nodeOf<Method>(id: string, pathPart: string, path: string): Node<Method> {
  return { id, pathPart, path, literals: new Map(), parameter: undefined, greedy: undefined, methods: new Map() };
}

/**
 * A literal segment wins over a parameter, a parameter over a greedy one. Resources without methods are not deployed.
 * There is no backtracking: AWS documents none, so an API must not rely on it.
 */
function descend<Method>(node: Node<Method>, segments: readonly string[]): Match<Method> | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return node.methods.size > 0 ? { node, pathParameters: {} } : undefined;
  const literal = node.literals.get(segment);
  if (literal) return descend(literal, rest);
  if (node.parameter && segment !== '') {
    const match = descend(node.parameter, rest);
    return match && bind(match, node.parameter.pathPart.slice(1, -1), segment);
  }
  if (!node.greedy || node.greedy.methods.size === 0) return undefined;
  return bind({ node: node.greedy, pathParameters: {} }, node.greedy.pathPart.slice(1, -2), segments.join('/'));
}

function bind<Method>({ node, pathParameters }: Match<Method>, name: string, value: string): Match<Method> {
  return { node, pathParameters: { ...pathParameters, [name]: value } };
}
