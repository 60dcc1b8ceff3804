import { useParams } from "react-router";
import { Chat } from "@/features/chat/Chat";

/** One session. Another one starts afresh: nothing of the page is shared between them. */
export default function ChatPage() {
  const { id = "" } = useParams();
  return <Chat key={id} sessionId={id} />;
}
