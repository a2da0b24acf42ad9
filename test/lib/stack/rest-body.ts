import type { OpenApiBody } from '../../../lib/rest/openapi-body';
import type { Synthesised } from '../synthesised';

/** A method of API Gateway as the body of the REST API declares it. */
export type Operation = OpenApiBody['paths'][string][string];

/** The OpenAPI document in the template, with references as `{Ref}` and joined texts as `{Fn::Join}`. */
export function bodyOf({ byPath }: Pick<Synthesised, 'byPath'>): OpenApiBody {
  const [api] = Object.values(byPath('AWS::ApiGateway::RestApi'));
  return api?.Properties['Body'] as OpenApiBody;
}

/** Its operations by method and path, such as `ANY /v3/jobs/{path+}`. */
export function operationsOf(body: OpenApiBody): ReadonlyMap<string, Operation> {
  const all = Object.entries(body.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([key, operation]) => {
      const method = key === 'x-amazon-apigateway-any-method' ? 'ANY' : key.toUpperCase();
      return [`${method} ${path}`, operation] as const;
    }),
  );
  return new Map(all);
}
