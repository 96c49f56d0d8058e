import { Turn } from './turn';
export default function Page() { return <Turn />; }
