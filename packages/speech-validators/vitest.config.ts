import { validators } from '../../tools/check/vitest.base.ts'

export default validators
