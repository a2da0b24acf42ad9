import { fastify } from 'fastify';

/**
 * Scalar's bundle for browsers, which defines `Scalar`. It comes from the plugin that serves it, whose package consists of the
 * bundle: @scalar/api-reference would install 250 MB of packages that the bundle already contains.
 */
export async function scalarBundle(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const server = fastify();
  await server.register(plugin, { routePrefix: '/reference', configuration: { url: 'unused' } });
  const { statusCode, body } = await server.inject('/reference/js/scalar.js');
  await server.close();
  if (statusCode !== 200) throw new Error(`Scalar's plugin answers ${statusCode} to the request for its bundle`);
  return body;
}
