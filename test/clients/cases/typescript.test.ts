import { passesCases } from './passes-cases';

describe('The client for TypeScript', () => passesCases('ts'));
