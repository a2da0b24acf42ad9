/** Resource types that have no effect on one machine, each with the reason. */
export const ignored: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': 'reports the version of the CDK to AWS',
  'AWS::CloudWatch::CompositeAlarm': 'alarms fire one by one',
  'AWS::CloudWatch::Dashboard': 'there is no console to display it',
  'AWS::EventSchemas::Discoverer': 'schemas are documentation and input of code generators',
  'AWS::EventSchemas::Registry': 'schemas are documentation and input of code generators',
  'AWS::EventSchemas::RegistryPolicy': 'schemas are documentation and input of code generators',
  'AWS::EventSchemas::Schema': 'schemas are documentation and input of code generators',
  'AWS::Events::EventBusPolicy': 'there are no other accounts that could put events',
  'AWS::Logs::LogGroup': 'function logs are appended to functions.log in the data folder',
  'AWS::Logs::MetricFilter': 'only lines in the embedded format publish metrics',
  'AWS::SNS::Subscription': 'no notifications are sent',
  'AWS::SNS::Topic': 'no notifications are sent',
  'AWS::SNS::TopicPolicy': 'no notifications are sent',
  'AWS::WAFv2::WebACL': 'all requests come from this machine, so none are rate-limited by address',
  'AWS::WAFv2::WebACLAssociation': 'there is no web ACL to associate',
};
