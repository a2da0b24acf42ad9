import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { openApiBody } from '../../../lib/rest/openapi-body';
import { claims, openIssuer, sign } from '../fixtures/issuer';
import { handler as authorize } from '../../../lambdas/access/authorize.lambda';
import { tokenIn, type ConnectEvent } from '../../../lambdas/channels/handshake';
import { store } from '../../data/fixtures/store';
import { partner } from '../../domain/fixtures/samples';

const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:api1/v1/GET/v3/jobs';

type Scheme = Record<'x-amazon-apigateway-authorizer', { readonly identityValidationExpression: string }>;

/** What API Gateway wants of the header before it invokes the authorizer. */
function expression(): RegExp {
  const props = { title: '', description: '', table: {}, uriOf: () => '', authorizerUri: '', redirects: {} };
  const { accessToken } = openApiBody(props).components.securitySchemes as Record<'accessToken', Scheme>;
  return new RegExp(accessToken['x-amazon-apigateway-authorizer'].identityValidationExpression);
}

/** Everything that reads a bearer token: whether it takes the token from a header. */
const readers = {
  'API Gateway': (header: string) => Promise.resolve(expression().test(header)),
  'the authorizer of the REST API': async (header: string) => {
    const { principalId } = await authorize({ type: 'TOKEN', methodArn, authorizationToken: header });
    return principalId === 'client1';
  },
  'a handshake of the WebSocket API': (header: string, token: string) =>
    Promise.resolve(tokenIn({ headers: { Authorization: header } } as unknown as ConnectEvent) === token),
};

let token: string;
beforeAll(async () => {
  token = await sign(await openIssuer(), claims());
});
beforeEach(() => {
  store.on(GetCommand).resolves({ Item: partner });
});

/** RFC 9110 section 11.1: the scheme is case-insensitive; RFC 6750 section 2.1: spaces, at least one, and a token. */
const headers: [header: (token: string) => string, isTaken: boolean][] = [
  [(it) => `Bearer ${it}`, true],
  [(it) => `bearer ${it}`, true],
  [(it) => `BEARER ${it}`, true],
  [(it) => `bEaReR   ${it}`, true],
  [(it) => `Bearer${it}`, false],
  [(it) => `Basic ${it}`, false],
  [(it) => `Bearer ${it} ${it}`, false],
  [(it) => `Bearer Bearer ${it}`, false],
  [() => 'Bearer ', false],
  [(it) => it, false],
];

describe.each(Object.entries(readers))('%s', (_, takes) => {
  test.each(headers.map(([header, isTaken]) => [header('<token>'), isTaken, header] as const))(
    '“%s” is taken: %s',
    async (_shown, isTaken, header) => {
      expect(await takes(header(token), token)).toBe(isTaken);
    },
  );
});
