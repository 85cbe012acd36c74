import { pageContract } from '../../service/page-contract.ts'
import { ownPage } from './own-page.ts'

pageContract('a page of your own', ownPage)
