import { passesCases } from './passes-cases';

describe('The client for Python', () => passesCases('python'));
