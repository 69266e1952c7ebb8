import { inject } from 'vitest'

import { services as all } from './services.ts'

const chosen = inject('service')

/** The services that a test of every service is about: the one of the task `test:service`, otherwise all of them. */
export const services = chosen === undefined ? all : all.filter(({ name }) => name === chosen)
