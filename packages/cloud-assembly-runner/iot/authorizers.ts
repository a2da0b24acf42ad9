/** Custom authorizers: CloudFormation's AWS::IoT::Authorizer, and API reference (UpdateAuthorizer, DeleteAuthorizer). */
import * as z from 'zod';
import { AwsCallError } from '../cloudformation/aws-custom-resource';
import { propertiesOf } from '../cloudformation/properties';
import type { Lambda } from '../lambda';
import type { Created, Resource } from '../service';
import type { Arns } from './arns';
import { createAuthorizer, type Authorizer } from './authorization/authorizer';
import type { Operation } from './deployment-api';

const status = z.enum(['ACTIVE', 'INACTIVE']);
const properties = z.object({
  AuthorizerName: z.string().optional(),
  AuthorizerFunctionArn: z.string(),
  SigningDisabled: z.literal(true),
  Status: status.default('INACTIVE'),
});
const named = { authorizerName: z.string() };
const updateInput = z.strictObject({ ...named, status });
const deleteInput = z.strictObject(named);

export interface Authorizers {
  create(resource: Resource): Created;
  /** The active authorizer of this name. */
  active(name: string): Authorizer | undefined;
  /** What CloudFormation calls to delete one. */
  readonly operations: Readonly<Record<string, Operation>>;
}

export interface AuthorizersOptions {
  readonly arns: Arns;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'>;
  /** Whether a domain configuration names the authorizer, enabled or not. */
  isNamed(authorizerName: string): boolean;
  log(line: string): void;
}

export function createAuthorizers({ arns, lambda, isNamed, log }: AuthorizersOptions): Authorizers {
  const authorizers = new Map<string, { readonly authorizer: Authorizer; readonly status: z.infer<typeof status> }>();

  function find(name: string) {
    const found = authorizers.get(name);
    if (!found) throw new AwsCallError('ResourceNotFoundException', `There is no authorizer ${name}`);
    return found;
  }

  return {
    create(resource) {
      const { AuthorizerName, AuthorizerFunctionArn: functionArn, Status } = propertiesOf(resource, properties);
      const name = AuthorizerName ?? resource.logicalId;
      const arn = arns.authorizer(name);
      authorizers.set(name, { authorizer: createAuthorizer({ arn, functionArn, lambda, log }), status: Status });
      return { ref: name, attributes: { Arn: arn } };
    },

    active(name) {
      const found = authorizers.get(name);
      return found?.status === 'ACTIVE' ? found.authorizer : undefined;
    },

    operations: {
      updateAuthorizer(input) {
        const { authorizerName, status: wanted } = updateInput.parse(input);
        authorizers.set(authorizerName, { authorizer: find(authorizerName).authorizer, status: wanted });
        return { authorizerName, authorizerArn: arns.authorizer(authorizerName) };
      },
      deleteAuthorizer(input) {
        const { authorizerName } = deleteInput.parse(input);
        if (find(authorizerName).status === 'ACTIVE')
          throw new AwsCallError('InvalidRequestException', `${authorizerName} is active`);
        if (isNamed(authorizerName))
          throw new AwsCallError('DeleteConflictException', `a domain configuration names ${authorizerName}`);
        authorizers.delete(authorizerName);
        return {};
      },
    },
  };
}
