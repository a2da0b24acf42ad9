import { passesCases } from './passes-cases';

describe('The client for Go', () => passesCases('go'));
