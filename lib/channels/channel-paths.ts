import type { Contract } from '../../contract/contract';
import { TELEMETRY_PATH } from '../../contract/websocket-actions';
import { DOCS_PATH } from '../rest/docs-paths';

/**
 * Generates the code of a CloudFront function (cloudfront-js-2.0, which has `for` and `for…in` but no `for…of`) that turns the
 * path of a channel into a query, since a WebSocket API has no paths below its stage: `/v3/jobs/<id>/status/ws` becomes
 * `/<stage>?channel=job&id=<id>`. It overwrites these two parameters if the client sent them, and answers 404 for an id with
 * characters that no id has, since CloudFront would pass an `&` or `=` on as part of the query. Whoever opens the bare address
 * in a browser is redirected to the docs site.
 * @param stage of the WebSocket API
 * @param channels by kind
 */
export function channelPathsCode(stage: string, channels: Contract['channels']): string {
  const routes = Object.entries(channels).map(([kind, { path }]) => {
    const [before = '', after = ''] = path.split('{id}');
    return { kind, before, after };
  });
  return `const routes = ${JSON.stringify(routes)};
function handler(event) {
  const request = event.request;
  if (request.uri === '/') {
    return { statusCode: 302, statusDescription: 'Found', headers: { location: { value: '${DOCS_PATH}/' } } };
  }
  if (request.uri === '${TELEMETRY_PATH}') {
    request.uri = '/${stage}';
    request.querystring.channel = { value: 'telemetry' };
    return request;
  }
  for (let i = 0; i < routes.length; i++) {
    const route = routes[i];
    const id = request.uri.slice(route.before.length, request.uri.length - route.after.length);
    if (request.uri === route.before + id + route.after && /^[A-Za-z0-9%-]+$/.test(id)) {
      request.uri = '/${stage}';
      request.querystring.channel = { value: route.kind };
      request.querystring.id = { value: id };
      return request;
    }
  }
  return { statusCode: 404, statusDescription: 'Not Found' };
}
`;
}
