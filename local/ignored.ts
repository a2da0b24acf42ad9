/** Types of the template that need no counterpart on one machine, each with the reason. */
export const ignored: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': 'tells AWS which CDK made the template',
  'AWS::CloudWatch::Alarm': 'no metrics are kept, so no alarm can fire',
  'AWS::CloudWatch::CompositeAlarm': 'no metrics are kept, so no alarm can fire',
  'AWS::CloudWatch::Dashboard': 'no metrics are kept, so there is nothing to draw',
  'AWS::EventSchemas::Discoverer': 'schemas are for people and code generators',
  'AWS::EventSchemas::Registry': 'schemas are for people and code generators',
  'AWS::EventSchemas::RegistryPolicy': 'schemas are for people and code generators',
  'AWS::EventSchemas::Schema': 'schemas are for people and code generators',
  'AWS::Events::Archive': 'no events are kept, so none can be replayed',
  'AWS::Events::EventBusPolicy': 'other accounts can put no events on a bus of this machine',
  'AWS::Logs::LogGroup': 'what functions log is appended to functions.log in the data folder',
  'AWS::Logs::MetricFilter': 'no metrics are kept',
  'AWS::SNS::Subscription': 'nobody is paged from one machine',
  'AWS::SNS::Topic': 'nobody is paged from one machine',
  'AWS::SNS::TopicPolicy': 'nobody is paged from one machine',
};
