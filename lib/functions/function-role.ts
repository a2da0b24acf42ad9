import { PolicyDocument, Role, ServicePrincipal, type AddToPrincipalPolicyResult } from 'aws-cdk-lib/aws-iam';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * The role of a function, with its permissions in itself. The CDK puts them into a policy resource of their own, which would be
 * one more for each function: CloudFormation allows 500 resources in a stack.
 */
export class FunctionRole extends Role {
  private readonly permissions: PolicyDocument;

  constructor(scope: Construct, id: string) {
    const permissions = new PolicyDocument();
    super(scope, id, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { Permissions: permissions },
    });
    this.permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
