import { setting } from '../../data/store/environment';

/**
 * `arn:<partition>:iot:<region>:<account>`, the prefix of the ARNs of topics and clients.
 * @throws Error when IOT_ARN is not set
 */
export const iotArn = (): string => setting('IOT_ARN');
