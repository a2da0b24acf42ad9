import { PolicyDocument, Role, type AddToPrincipalPolicyResult } from 'aws-cdk-lib/aws-iam';
import type { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * The role of a function or of schedules, with its permissions in itself. The CDK puts them into a policy resource of their own, which
 * would be one more for each role: CloudFormation allows 500 resources in a stack.
 */
export class ServiceRole extends Role {
  private readonly permissions: PolicyDocument;

  constructor(scope: Construct, id: string, assumedBy: ServicePrincipal) {
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
