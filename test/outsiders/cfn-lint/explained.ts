import type { Match } from './match';

/** A rule that does not hold for some resources, and why that is right. */
export interface Explanation {
  readonly rule: string;
  /** @param type of the resource that the match is in */
  readonly concerns: (match: Match, type: string | undefined) => boolean;
  readonly reason: string;
}

/** All that cfn-lint may say of the template. One that explains nothing any more is an objection too. */
export const explained: readonly Explanation[] = [
  {
    rule: 'W3005',
    concerns: ({ Location: { Path }, Message }, type) =>
      type === 'AWS::Lambda::Function' && Path[2] === 'DependsOn' && Message.includes('/Properties/Role'),
    reason: 'the CDK lets every function wait for its role and the policy of its role, and so names the role twice',
  },
  {
    rule: 'I3010',
    concerns: ({ Message }) => Message.includes("'Resources' is approaching the limit of 500"),
    reason: 'with every choice there are more than 450 resources; what to do at 500 is in docs/operations.md, "Quotas"',
  },
];
