import { endpoints, type EndpointKey } from '../../../contract/endpoints';
import { negotiate } from '../../../lambdas/serve/negotiate';
import type { Exchange } from '../../../lambdas/serve/request';
import { refusalOf } from '../../domain/fixtures/samples';
import { request } from '../fixtures/api-gateway';

const exchangeOf = (key: EndpointKey): Exchange => ({
  key,
  endpoint: endpoints[key],
  startedAt: 0,
  headers: {},
  query: {},
});
const KML = 'application/vnd.google-earth.kml+xml';

describe('negotiate', () => {
  test.each<[string | string[] | undefined, string]>([
    [undefined, 'application/geo+json'],
    ['*/*', 'application/geo+json'],
    ['application/*', 'application/geo+json'],
    ['application/json', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['', 'application/geo+json'],
    ['APPLICATION/GEO+JSON', 'application/geo+json'],
    [KML, KML],
    ['text/*', 'text/csv'],
    [`text/csv;q=0.5, ${KML};q=0.8`, KML],
    ['text/html, text/csv;q=0.1', 'text/csv'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['application/json; version=3', 'application/json'],
    [`text/csv;charset="a,b;q=0";q=0.5, ${KML};version=2;Q=0.8`, KML],
    ['application/geo+json;v=1;q=0.1, application/json; x', 'application/json'],
    [['text/csv;q=0.1', KML], KML],
    [`application/geo+json;q=0, application/json;q=0, */*;q=0.1`, KML],
  ])('selects for the Accept %s %s', (accept, expected) => {
    const exchange = exchangeOf('GET /v3/jobs/{jobId}/track');
    negotiate(exchange, request(accept === undefined ? {} : { headers: { Accept: accept } }));
    expect(exchange.mediaType).toBe(expected);
    expect(exchange.headers).toEqual({ Vary: 'Accept' });
  });

  test.each([
    ['geojson', 'text/csv', 'application/geo+json'],
    ['kml', '*/*', KML],
    ['csv', 'none', 'text/csv'],
  ])('selects the format %s before the Accept %s', (format, accept, expected) => {
    const exchange = { ...exchangeOf('GET /v3/jobs/{jobId}/track'), query: { format } };
    negotiate(exchange, request({ headers: { accept } }));
    expect(exchange.mediaType).toBe(expected);
  });

  test.each(['text/html', 'application/gpx+xml', '*/*;q=0', 'none'])('refuses the Accept «%s»', (accept) => {
    const exchange = exchangeOf('GET /v3/jobs/{jobId}/track');
    const { code, details } = refusalOf(() => negotiate(exchange, request({ headers: { accept } })));
    expect([code, details]).toEqual([
      'not_acceptable',
      [
        {
          path: 'Accept',
          message: `must allow one of application/geo+json, application/json, ${KML}, text/csv`,
        },
      ],
    ]);
    expect(exchange.headers).toEqual({ Vary: 'Accept' });
  });
});
