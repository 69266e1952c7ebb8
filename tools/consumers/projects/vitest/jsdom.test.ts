// @vitest-environment jsdom
import './uploads.ts'
