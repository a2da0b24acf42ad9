import { endpointTable } from '../../../contract/endpoint-table';
import { deprecationHeaders } from '../../../contract/terms/deprecation';
import { openApiDocument } from '../../../contract/documents/openapi/document';
import { operationOf } from '../../../contract/documents/openapi/operations';
import type { Header, Response } from '../../../contract/documents/openapi/openapi-types';

const key = 'POST /v3/jobs/create';
const deprecation = {
  since: '2027-01-01T00:00:00Z',
  sunset: '2027-07-01T00:00:00Z',
  instead: 'https://api.example.com/docs/guides/versioning',
};

describe('The operation of a deprecated endpoint', () => {
  const operation = operationOf(key, { ...endpointTable[key], deprecation });
  const responses = Object.entries(operation.responses) as [string, Response][];

  test('is marked, and says until when it works and what to use instead', () => {
    expect(operation.deprecated).toBe(true);
    expect(operation.description).toMatch(
      /^Deprecated since 2027-01-01, ends on 2027-07-01: \[.*\]\(https:\/\/api\.example\.com\//,
    );
  });

  test('has the headers that the service sends, in each response', () => {
    const sent = Object.entries(deprecationHeaders(deprecation));
    expect(sent.map(([name]) => name)).toEqual(['Deprecation', 'Sunset', 'Link']);
    expect(responses.map(([status]) => status)).toEqual(['201', 'default']);
    for (const [status, { headers }] of responses)
      for (const [name, value] of sent) {
        const header = headers[name] as Header;
        expect(header).toMatchObject({ required: status === '201', schema: { type: 'string', examples: [value] } });
        expect(header.description).not.toBe('');
      }
  });

  test('keeps its other headers', () => {
    for (const [, { headers }] of responses) expect(Object.keys(headers).length).toBeGreaterThan(3);
  });
});

describe('An operation that is not deprecated', () => {
  test('has no header that announces an end', () => {
    expect(operationOf(key, endpointTable[key]).deprecated).toBeUndefined();
    expect(JSON.stringify(openApiDocument())).not.toContain('"Sunset"');
  });
});
