/** Resource types that have no effect on one machine, each with the reason. */
export const ignored: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': 'reports the version of the CDK to AWS',
  'AWS::CloudWatch::Alarm': 'there are no metrics, so no alarm can fire',
  'AWS::CloudWatch::CompositeAlarm': 'there are no metrics, so no alarm can fire',
  'AWS::CloudWatch::Dashboard': 'there are no metrics to display',
  'AWS::EventSchemas::Discoverer': 'schemas are documentation and input of code generators',
  'AWS::EventSchemas::Registry': 'schemas are documentation and input of code generators',
  'AWS::EventSchemas::RegistryPolicy': 'schemas are documentation and input of code generators',
  'AWS::EventSchemas::Schema': 'schemas are documentation and input of code generators',
  'AWS::Events::EventBusPolicy': 'there are no other accounts that could put events',
  'AWS::Logs::LogGroup': 'function logs are appended to functions.log in the data folder',
  'AWS::Logs::MetricFilter': 'there are no metrics',
  'AWS::SNS::Subscription': 'no notifications are sent',
  'AWS::SNS::Topic': 'no notifications are sent',
  'AWS::SNS::TopicPolicy': 'no notifications are sent',
  'AWS::WAFv2::WebACL': 'all requests come from this machine, so none are rate-limited by address',
  'AWS::WAFv2::WebACLAssociation': 'there is no web ACL to associate',
};
