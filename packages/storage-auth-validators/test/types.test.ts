import { testConsumer } from '@concord/validators-kit'
import * as z from 'zod'

testConsumer(import.meta.dirname, z)
