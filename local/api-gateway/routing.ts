/**
 * The resource tree of an API and the way a path takes through it: API Gateway developer guide, "Methods for REST
 * APIs" and "Set up a proxy integration with a proxy resource" (`{proxy+}`).
 */

export interface ResourceNode {
  readonly id: string;
  /** With its parameters, such as `/v3/jobs/{jobId}`. */
  readonly path: string;
}

export interface Routes<Method> {
  /** Adds a resource below another; throws when the parent isn't there. Gives its path. */
  add(id: string, parentId: string, pathPart: string): string;
  /** Adds a method (`GET`, … or `ANY`) to a resource. */
  addMethod(resourceId: string, httpMethod: string, method: Method): void;
  /** Finds what serves a path that starts with a slash; undefined for an unknown path or method. The path's escapes must be sound. */
  find(path: string, httpMethod: string): Route<Method> | undefined;
  /** Every method there is. */
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

/** An empty tree with its root resource. */
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
      // One slash at the end makes no difference to API Gateway.
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
 * A literal part goes before a parameter and that before a greedy one; resources without methods are not deployed. A way
 * that has been taken is not left again: no page of AWS says that API Gateway would, so an API must not rest on it.
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
