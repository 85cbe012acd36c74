#!/usr/bin/env node

import { runProgram } from './program.ts'

runProgram()
