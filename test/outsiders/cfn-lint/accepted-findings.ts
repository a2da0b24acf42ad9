import type { Match } from './match';

/** A finding that is accepted for some resources, and why. */
export interface AcceptedFinding {
  readonly rule: string;
  /** @param type of the resource of the match */
  readonly concerns: (match: Match, type: string | undefined) => boolean;
  readonly reason: string;
}

/** All accepted findings of cfn-lint. An entry that matches nothing is reported too. */
export const acceptedFindings: readonly AcceptedFinding[] = [
  {
    rule: 'W3005',
    concerns: ({ Location: { Path }, Message }, type) =>
      type === 'AWS::Lambda::Function' && Path[2] === 'DependsOn' && Message.includes('/Properties/Role'),
    reason: 'the CDK makes every function depend on its role, and so names the role twice',
  },
];
