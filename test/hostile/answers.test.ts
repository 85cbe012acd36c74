import { answersContract } from './answers-contract.ts'

answersContract()
