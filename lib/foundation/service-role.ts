import { PolicyDocument, Role, type AddToPrincipalPolicyResult } from 'aws-cdk-lib/aws-iam';
import type { IPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * The role of a function, of schedules or of the drone platform, with its permissions in itself. The CDK puts them into
 * a policy resource of their own, which would be one more for each role: CloudFormation allows 500 resources in a
 * stack.
 */
export class ServiceRole extends Role {
  private readonly permissions: PolicyDocument;

  constructor(scope: Construct, id: string, assumedBy: IPrincipal) {
    const permissions = new PolicyDocument();
    super(scope, id, {
      assumedBy,
      inlinePolicies: { Permissions: permissions },
    });
    this.permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
