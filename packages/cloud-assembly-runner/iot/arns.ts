/** ARNs of AWS IoT Core: Service Authorization Reference, "Actions, resources, and condition keys for AWS IoT". */
export type Arns = Readonly<
  Record<'authorizer' | 'client' | 'domainconfiguration' | 'rule' | 'topic' | 'topicfilter', (name: string) => string>
>;

export function createArns({ region, accountId }: { region: string; accountId: string }): Arns {
  const of = (kind: string) => (name: string) => `arn:aws:iot:${region}:${accountId}:${kind}/${name}`;
  return {
    authorizer: of('authorizer'),
    client: of('client'),
    domainconfiguration: of('domainconfiguration'),
    rule: of('rule'),
    topic: of('topic'),
    topicfilter: of('topicfilter'),
  };
}
