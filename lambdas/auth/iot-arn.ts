/**
 * `arn:<partition>:iot:<region>:<account>`, which the ARNs of topics and clients begin with.
 * @throws Error when the deployment gives the function no IOT_ARN
 */
export function iotArn(): string {
  const arn = process.env['IOT_ARN'];
  if (!arn) throw new Error('IOT_ARN is not set');
  return arn;
}
