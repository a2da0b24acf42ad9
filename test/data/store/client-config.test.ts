import { clientConfig } from '../../../data/store/client-config';

test('the default is three attempts with a timeout of two seconds', () => {
  expect(clientConfig()).toMatchObject({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
  });
  expect(clientConfig().requestHandler).not.toHaveProperty('httpsAgent');
});

test('an override changes no other setting', () => {
  const { requestHandler, ...config } = clientConfig({ maxAttempts: 1, requestTimeoutMs: 5000, maxSockets: 100 });
  const { requestHandler: usualHandler, ...usual } = clientConfig();
  expect(config).toEqual({ ...usual, maxAttempts: 1 });
  expect(requestHandler).toEqual({ ...usualHandler, requestTimeout: 5000, httpsAgent: { maxSockets: 100 } });
});
