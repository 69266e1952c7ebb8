import { serviceTests } from '../../tools/check/vitest.service.ts'

export default serviceTests(import.meta.dirname)
