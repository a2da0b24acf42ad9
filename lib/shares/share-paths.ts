/**
 * Code of a CloudFront function (cloudfront-js-2.0) that maps `/share/<code>` to the same page for every code, so that no code
 * reaches the bucket and the cache holds one copy. The files of the page are below `/share/assets/`.
 */
export const sharePathsCode = `function handler(event) {
  const request = event.request;
  request.querystring = {};
  if (request.uri.startsWith('/share/assets/')) return request;
  if (!/^\\/share\\/[\\w-]+\\/?$/.test(request.uri)) return { statusCode: 404, statusDescription: 'Not Found' };
  request.uri = '/share/index.html';
  return request;
}
`;
