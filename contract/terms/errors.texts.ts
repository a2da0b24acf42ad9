import type { Fields, Objects } from './field';

/** Fields of errors. */
export const errorFields: Fields = {
  code: { description: 'Stable code of the error. Branch on it.', examples: ['forbidden'] },
  details: {
    description:
      'What is wrong with each part of the request, at most 20 faults and then their number, or why the request is forbidden. Present with `invalid_request` and `Forbidden`, and with others where there is more to say than `error` does; the texts may get clearer, so don’t rely on them.',
    minItems: 1,
    maxItems: 21,
  },
  error: {
    description:
      'What went wrong; of the token endpoint the error code of OAuth 2.0 (RFC 6749 section 5.2). The texts are listed with each operation and don’t change within `/v3/`.',
    examples: ['invalid_request'],
    minLength: 1,
  },
  path: {
    description:
      'The field that is the cause, as a path such as `metadata.site`, or a parameter, or a header; empty for the whole input.',
    examples: ['priority'],
    maxLength: 64,
  },
  requestId: {
    description: 'Identifies the request; the same as the header `x-request-id`. Name it when you report a problem.',
    examples: ['0b1f2c9e-5a3d-4c7e-9a54-3f7d1c2b8e60'],
    minLength: 1,
  },
  'ErrorMessage.details': {
    description:
      'What is wrong with each part of the message, or why it is forbidden. Present with `invalid_request`, `unknown_action` and `forbidden`.',
  },
  'ErrorMessage.error': { description: 'Text for people. Branch on `code`.', examples: ['Forbidden'] },
  'ErrorMessage.requestId': {
    description: 'Only with `internal_error`. Name it when you report the problem.',
    examples: ['0b1f2c9e-5a3d-4c7e-9a54-3f7d1c2b8e60'],
  },
  'MessageFault.message': { description: 'What is wrong.', examples: ['is not a device of yours'] },
  'MessageFault.path': {
    description: 'The faulty field as a path such as `telemetry.0.battery.percent`; empty for the whole message.',
    examples: ['telemetry.0.deviceId'],
  },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const errorObjects: Objects = {
  error: 'Why a request failed.',
  errorDetail: 'One thing that is wrong with a request.',
};
